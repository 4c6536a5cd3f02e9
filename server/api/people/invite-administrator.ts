/**
 * Creates a one-time link that makes a person administrator. The admin token may always call it, so
 * an installation whose administrators are all locked out can be recovered.
 */
import { CreatedInvitation } from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { createLink } from '../../accounts/one-time-link.ts';
import { endpoint } from '../http/endpoint.ts';
import { administratorInvitation } from './samples.ts';
import { createdInvitationView } from './views.ts';

export const inviteAdministrator = endpoint({
  operationId: 'inviteAdministrator',
  method: 'POST',
  path: '/admin/invitations',
  summary: 'Invite an administrator',
  description:
    'Also the way back in when nobody can sign in any more: the admin token may always ask. The ' +
    'link works once, for 7 days.',
  auth: 'admin',
  requiresConfirmation: true,
  responses: {
    201: {
      description: 'The invitation and its link.',
      schema: CreatedInvitation,
      examples: { one: ['An invitation', administratorInvitation] },
    },
  },
  async handler(services, { actor, person, transaction }) {
    const link = await transaction(async (tx) => {
      const created = await createLink(tx, {
        purpose: 'administrator',
        createdBy: actor,
        createdByPersonId: person?.id,
      });
      await recordAudit(tx, { actor, action: 'administrator.invite', subject: created.id });
      return created;
    });
    return { status: 201, body: createdInvitationView(services, link) };
  },
});
