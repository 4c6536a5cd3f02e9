/** Revokes an invitation to an account: its link stops working. */
import { InvitationParams } from '@vidgen/contract/people.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { revokeInvitation as revokeInvitationRow } from '../../accounts/people/one-time-link.ts';
import { endpoint } from '../http/endpoint.ts';

export const revokeInvitation = endpoint({
  operationId: 'revokeInvitation',
  method: 'DELETE',
  path: '/admin/accounts/:id/invitations/:invitation',
  summary: 'Withdraw an invitation',
  auth: 'member',
  role: 'owner',
  params: InvitationParams,
  responses: { 204: { description: 'Its link no longer works.' } },
  errors: { not_found: 'No invite found with this ID in this account.' },
  async handler({ lifecycle: { db } }, request) {
    const { id: accountId } = await getAccount(db, request.params.id!);
    const linkId = request.params.invitation!;
    await request.transaction(async (tx) => {
      await revokeInvitationRow(tx, { accountId, linkId });
      const detail = { invitation: linkId };
      const action = 'invitation.revoke';
      await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
    });
    return { status: 204 };
  },
});
