/** Lists the open invitations to an account, without their links. */
import { ListInvitationsResponse } from '@vidgen/contract/people.ts';
import { getAccount } from '../../accounts/account.ts';
import { listInvitations as listInvitationRows } from '../../accounts/people/one-time-link.ts';
import { endpoint } from '../http/endpoint.ts';
import { pageOf } from '../http/samples.ts';
import { invitation } from './samples.ts';
import { invitationView } from './views.ts';

export const listInvitations = endpoint({
  operationId: 'listInvitations',
  method: 'GET',
  path: '/admin/accounts/:id/invitations',
  summary: 'List open invitations',
  auth: 'member',
  role: 'owner',
  responses: {
    200: {
      description: 'Valid invitations, newest first, without their links.',
      schema: ListInvitationsResponse,
      examples: { one: ['One invitation', pageOf(invitation)] },
    },
  },
  async handler({ lifecycle }, request) {
    const { id: accountId } = await getAccount(lifecycle.db, request.params.id!);
    const links = await listInvitationRows(lifecycle.db, accountId);
    return { body: { items: links.map(invitationView), next_cursor: null } };
  },
});
