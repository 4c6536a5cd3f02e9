/** Removes a member from an account, with the invitations that the member created. */
import { MemberParams } from '@vidgen/contract/people.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { removeMember as removeMemberRow } from '../../accounts/people/membership.ts';
import { revokeLinksOfPerson } from '../../accounts/people/one-time-link.ts';
import { endpoint } from '../http/endpoint.ts';
import { lastOwner } from './samples.ts';

export const removeMember = endpoint({
  operationId: 'removeMember',
  method: 'DELETE',
  path: '/admin/accounts/:id/members/:person',
  summary: 'Remove a member',
  description: 'Invitations the member made to the account end too.',
  auth: 'member',
  role: 'owner',
  requiresConfirmation: true,
  params: MemberParams,
  responses: { 204: { description: 'No longer a member.' } },
  errors: {
    invalid_request: lastOwner,
    not_found: 'No member found with this ID in this account.',
  },
  async handler({ lifecycle: { db } }, request) {
    const { id: accountId } = await getAccount(db, request.params.id!);
    const personId = request.params.person!;
    await request.transaction(async (tx) => {
      const keepLastOwner = !request.isAdmin;
      const { role } = await removeMemberRow(tx, { accountId, personId, keepLastOwner });
      await revokeLinksOfPerson(tx, { personId, accountId });
      const detail = { person: personId, role };
      const action = 'member.remove';
      await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
    });
    return { status: 204 };
  },
});
