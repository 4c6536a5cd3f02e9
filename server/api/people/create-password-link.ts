/**
 * Creates a one-time link for a new password, and revokes the person's previous one. The old
 * password works until the link is used.
 */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { CreatedInvitation } from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { findIdentity } from '../../accounts/people/identity.ts';
import { createLink, revokePasswordLinks } from '../../accounts/people/one-time-link.ts';
import { getPerson, lockPerson } from '../../accounts/people/person.ts';
import { endpoint } from '../http/endpoint.ts';
import { queueLinkMail } from './queue-link-mail.ts';
import { passwordLink } from './samples.ts';
import { createdInvitationView } from './views.ts';

export const createPasswordLink = endpoint({
  operationId: 'makePasswordLink',
  method: 'POST',
  path: '/admin/people/:id/password-link',
  summary: 'Create a password reset link',
  description:
    'For a person who forgot their password; people of the OpenID provider have none. It works ' +
    'once, for a day, and replaces the one before it. It is sent by email, too, if the ' +
    'installation sends mail.',
  auth: 'admin',
  requiresConfirmation: true,
  responses: {
    201: {
      description: 'The link, to be handed to the person.',
      schema: CreatedInvitation,
      examples: { one: ['A link', passwordLink] },
    },
  },
  errors: { invalid_request: 'This person’s access is deactivated.' },
  async handler(services, request) {
    const { actor } = request;
    const { lifecycle, openid } = services;
    const { db } = lifecycle;
    const { id: personId, closedAt } = await getPerson(db, request.params.id!);
    if (closedAt) {
      throw new ApiError('invalid_request', 'This person’s access is deactivated.');
    }
    const { link, emailed } = await request.transaction(async (tx) => {
      await lockPerson(tx, personId);
      const issuer = openid?.settings.issuer;
      if (issuer !== undefined && (await findIdentity(tx, { personId, issuer })) !== null) {
        const message = `This person signs in with ${openid!.settings.name}; unlink it first.`;
        throw new ApiError('invalid_request', message);
      }
      await revokePasswordLinks(tx, personId);
      const created = await createLink(tx, {
        purpose: 'password',
        personId,
        createdBy: actor,
        createdByPersonId: request.person?.id,
      });
      await recordAudit(tx, { actor, action: 'person.password_link', subject: personId });
      return { link: created, emailed: await queueLinkMail(services, tx, created) };
    });
    return { status: 201, body: createdInvitationView(services, link, { emailed }) };
  },
});
