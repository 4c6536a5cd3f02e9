/** Lists accounts: searched, filtered and sorted, without their webhook secrets. */
import { ListAccountsQuery, ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { pageOf } from '../http/samples.ts';
import { accountFilterOf, listAccountViews } from './account-list.ts';
import { listedAccount } from './samples.ts';

export const listAccounts = endpoint({
  parsesItself: true,
  operationId: 'listAccounts',
  method: 'GET',
  path: '/admin/accounts',
  summary: 'List accounts',
  description: 'Newest first by default. Webhook secrets are left out.',
  auth: 'admin',
  query: ListAccountsQuery,
  responses: {
    200: {
      description: 'A page of accounts.',
      schema: ListAccountsResponse,
      examples: { page: ['The last page', pageOf(listedAccount)] },
    },
  },
  async handler({ lifecycle: { db } }, { query }) {
    const filter = accountFilterOf(parseQuery(ListAccountsQuery, query));
    const { items, nextCursor } = await listAccountViews(db, filter);
    return { body: { items, next_cursor: nextCursor } };
  },
});
