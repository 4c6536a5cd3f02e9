/**
 * Creates a one-time link that makes a person administrator. The admin token may always call it, so
 * an installation whose administrators are all locked out can be recovered.
 */
import { CreatedInvitation, InviteAdministratorRequest } from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { createLink } from '../../accounts/people/one-time-link.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { queueLinkMail } from './queue-link-mail.ts';
import { administratorInvitation } from './samples.ts';
import { createdInvitationView } from './views.ts';

export const inviteAdministrator = endpoint({
  parsesItself: true,
  operationId: 'inviteAdministrator',
  method: 'POST',
  path: '/admin/invitations',
  summary: 'Invite an administrator',
  description:
    'The admin token can do this even if nobody can sign in any more. The link works once, for 7 ' +
    'days. With `email` it is also sent there.',
  auth: 'admin',
  requiresConfirmation: true,
  body: InviteAdministratorRequest,
  bodyIsOptional: true,
  requestExamples: { mailed: ['By email', { email: 'ada@example.com' }] },
  responses: {
    201: {
      description: 'The invitation and its link.',
      schema: CreatedInvitation,
      examples: { one: ['An invitation', administratorInvitation] },
    },
  },
  errors: { invalid_request: 'email must be an email address (got "ada")' },
  async handler(services, { actor, person, body, transaction }) {
    const { email } = parseBody(InviteAdministratorRequest, body === undefined ? {} : body);
    const { link, emailed } = await transaction(async (tx) => {
      const created = await createLink(tx, {
        purpose: 'administrator',
        invitedEmail: email,
        createdBy: actor,
        createdByPersonId: person?.id,
      });
      const detail = email === undefined ? {} : { email };
      await recordAudit(tx, { actor, action: 'administrator.invite', subject: created.id, detail });
      return { link: created, emailed: await queueLinkMail(services, tx, created) };
    });
    return { status: 201, body: createdInvitationView(services, link, { emailed }) };
  },
});
