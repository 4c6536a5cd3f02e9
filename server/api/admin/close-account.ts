/** Closes an account for good: its keys stop working and its balances take no entries. */
import { Account } from '@vidgen/contract/admin-accounts.ts';
import { closeAccount as closeAccountRow, getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { closeBalances } from '../../ledger/ledger.ts';
import { endpoint } from '../http/endpoint.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';

export const closeAccount = endpoint({
  operationId: 'closeAccount',
  method: 'POST',
  path: '/admin/accounts/:id/close',
  summary: 'Close an account',
  description: 'Requests with its keys return 401, and no credits can be added to it.',
  auth: 'admin',
  requiresConfirmation: true,
  responses: {
    200: {
      description: 'The closed account.',
      schema: Account,
      examples: { closed: ['Closed', { ...account, closed_at: account.created_at + 60 }] },
    },
  },
  async handler({ lifecycle: { db }, keys }, { params, actor, transaction }) {
    const closed = await transaction(async (tx) => {
      const { id } = await getAccount(tx, params.id!);
      // Before the account, as creates in the playground lock them.
      await closeBalances(tx, id);
      const row = await closeAccountRow(tx, id);
      await recordAudit(tx, { actor, action: 'account.close', subject: row.id });
      return row;
    });
    keys.invalidateAccount(closed.id);
    return { body: await accountWithBalances(db, closed, { isAdmin: true }) };
  },
});
