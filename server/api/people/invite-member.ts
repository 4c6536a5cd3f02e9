/** Creates a one-time link that invites a person to an account. Only this response has the link. */
import { CreatedInvitation, InviteMemberRequest } from '@vidgen/contract/people.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { createLink } from '../../accounts/people/one-time-link.ts';
import { recordUse, requireQuota } from '../../rate-limits/account-quota.ts';
import { accountClosed } from '../accounts/account-response.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { queueLinkMail } from './queue-link-mail.ts';
import { createdInvitation } from './samples.ts';
import { createdInvitationView } from './views.ts';

/** Enough for a team; too few to try which email addresses exist, one link each. */
const invitationQuota = {
  purpose: 'invitations',
  limit: 50,
  windowSeconds: 3600,
  label: '50 invitations an hour',
} as const;

export const inviteMember = endpoint({
  parsesItself: true,
  operationId: 'inviteMember',
  method: 'POST',
  path: '/admin/accounts/:id/invitations',
  summary: 'Invite a person to an account',
  description:
    'The link is in this response and, with `email`, in the mail to that address. It works once, ' +
    'for 7 days.',
  auth: 'member',
  role: 'owner',
  requiresConfirmation: true,
  body: InviteMemberRequest,
  requestExamples: {
    one: ['As developer', { role: 'developer' }],
    mailed: ['By email', { role: 'viewer', email: 'ada@example.com' }],
  },
  responses: {
    201: {
      description: 'The invitation and its link.',
      schema: CreatedInvitation,
      examples: { one: ['An invitation', createdInvitation] },
    },
  },
  errors: {
    invalid_request: 'role must be one of owner, developer, viewer (got "boss")',
    rate_limited: true,
  },
  async handler(services, request) {
    const { db } = services.lifecycle;
    const { role, email } = parseBody(InviteMemberRequest, request.body);
    const { id: accountId, closedAt } = await getAccount(db, request.params.id!);
    if (closedAt) throw accountClosed('The account is closed; members cannot be invited.');
    const { link, emailed } = await request.transaction(async (tx) => {
      if (!request.isAdmin) {
        await requireQuota(tx, { accountId, ...invitationQuota });
        await recordUse(tx, { accountId, ...invitationQuota });
      }
      const created = await createLink(tx, {
        purpose: 'member',
        accountId,
        role,
        invitedEmail: email,
        createdBy: request.actor,
        createdByPersonId: request.person?.id,
      });
      const detail = { invitation: created.id, role, ...(email === undefined ? {} : { email }) };
      const action = 'member.invite';
      await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
      return { link: created, emailed: await queueLinkMail(services, tx, created) };
    });
    return { status: 201, body: createdInvitationView(services, link, { emailed }) };
  },
});
