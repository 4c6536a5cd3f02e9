/** Changes the role of a member. */
import { ChangeMemberRequest, Member, MemberParams } from '@vidgen/contract/people.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { changeRole } from '../../accounts/people/membership.ts';
import { revokeLinksOfPerson } from '../../accounts/people/one-time-link.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { lastOwner, member } from './samples.ts';
import { memberView } from './views.ts';

export const changeMember = endpoint({
  parsesItself: true,
  operationId: 'changeMember',
  method: 'POST',
  path: '/admin/accounts/:id/members/:person',
  summary: 'Change the role of a member',
  description: 'Only an administrator can change the role of the last owner.',
  auth: 'member',
  role: 'owner',
  requiresConfirmation: true,
  params: MemberParams,
  body: ChangeMemberRequest,
  requestExamples: { one: ['May look, not act', { role: 'viewer' }] },
  responses: {
    200: {
      description: 'The member.',
      schema: Member,
      examples: { one: ['Changed', { ...member, role: 'viewer' }] },
    },
  },
  errors: {
    invalid_request: lastOwner,
    not_found: 'No member found with this ID in this account.',
  },
  async handler({ lifecycle: { db } }, request) {
    const { role } = parseBody(ChangeMemberRequest, request.body);
    const { id: accountId } = await getAccount(db, request.params.id!);
    const personId = request.params.person!;
    const changed = await request.transaction(async (tx) => {
      const keepLastOwner = !request.isAdmin;
      const { member: changedMember, previousRole } = await changeRole(tx, {
        accountId,
        personId,
        role,
        keepLastOwner,
      });
      if (role !== 'owner') await revokeLinksOfPerson(tx, { personId, accountId });
      const detail = { person: personId, role, from: previousRole };
      const action = 'member.change';
      await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
      return changedMember;
    });
    return { body: memberView(changed) };
  },
});
