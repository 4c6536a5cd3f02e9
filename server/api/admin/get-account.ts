/** Returns an account and its balances. Viewers do not see the webhook secret. */
import { Account } from '@vidgen/contract/admin-accounts.ts';
import { getAccount as getAccountRow } from '../../accounts/account.ts';
import { endpoint } from '../http/endpoint.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';

export const getAccount = endpoint({
  operationId: 'getAccount',
  method: 'GET',
  path: '/admin/accounts/:id',
  summary: 'Get an account',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: {
      description: 'The account and its balances.',
      schema: Account,
      examples: { account: ['An account', account] },
    },
  },
  async handler({ lifecycle: { db } }, { params, role, isAdmin }) {
    const row = await getAccountRow(db, params.id!);
    const options = { includeSecret: role !== 'viewer', isAdmin };
    return { body: await accountWithBalances(db, row, options) };
  },
});
