/** Returns below which live balance the account is notified. */
import { BalanceAlert } from '@vidgen/contract/notices.ts';
import { getAccount } from '../../accounts/account.ts';
import { findBalanceAlert } from '../../ledger/balance-alerts.ts';
import { endpoint } from '../http/endpoint.ts';

export const getBalanceAlert = endpoint({
  operationId: 'getBalanceAlert',
  method: 'GET',
  path: '/admin/accounts/:id/balance-alert',
  summary: 'Get the balance alert',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: {
      description: 'The threshold; null if there is none.',
      schema: BalanceAlert,
      examples: { one: ['Below 500 live credits', { threshold: 500 }] },
    },
  },
  async handler({ lifecycle: { db } }, { params }) {
    const { id } = await getAccount(db, params.id!);
    return { body: { threshold: await findBalanceAlert(db, id) } };
  },
});
