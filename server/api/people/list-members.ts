/** Lists the members of an account, newest first. */
import { ListMembersResponse } from '@vidgen/contract/people.ts';
import { getAccount } from '../../accounts/account.ts';
import { listMembers as listMemberRows } from '../../accounts/people/membership.ts';
import { endpoint } from '../http/endpoint.ts';
import { pageOf } from '../http/samples.ts';
import { member } from './samples.ts';
import { memberView } from './views.ts';

export const listMembers = endpoint({
  operationId: 'listMembers',
  method: 'GET',
  path: '/admin/accounts/:id/members',
  summary: 'List members',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: {
      description: 'Newest first.',
      schema: ListMembersResponse,
      examples: { one: ['One member', pageOf(member)] },
    },
  },
  async handler({ lifecycle }, request) {
    const { id: accountId } = await getAccount(lifecycle.db, request.params.id!);
    const members = await listMemberRows(lifecycle.db, accountId);
    return { body: { items: members.map(memberView), next_cursor: null } };
  },
});
