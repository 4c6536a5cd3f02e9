/** Lists all accounts, newest first, without their webhook secrets. */
import { ListAccountsQuery, ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import { listAccounts as listAccountRows } from '../../accounts/account.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { pageOf } from '../http/samples.ts';
import { accountsWithBalances } from './account-response.ts';
import { account } from './samples.ts';

const { webhook_secret: _, ...listedAccount } = account;

export const listAccounts = endpoint({
  operationId: 'listAccounts',
  method: 'GET',
  path: '/admin/accounts',
  summary: 'List accounts',
  description: 'Newest first. Webhook secrets are left out.',
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
    const page = await listAccountRows(db, parseQuery(ListAccountsQuery, query));
    const views = await accountsWithBalances(db, page.items, { isAdmin: true });
    const items = views.map(({ webhook_secret: _, ...listed }) => listed);
    return { body: { items, next_cursor: page.nextCursor } };
  },
});
