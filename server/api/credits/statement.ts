/** The monthly statement of an account's credits. */
import { StatementQuery, StatementResponse } from '@vidgen/contract/statement.ts';
import { getAccount } from '../../accounts/account.ts';
import { readStatement } from '../../ledger/statement.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { usageLimit } from './usage.ts';

const sample = {
  month: '2026-01',
  mode: 'live',
  opening_balance: 120,
  closing_balance: 640,
  lines: [
    {
      day: '2026-01-03',
      kind: 'grant',
      entries: 1,
      credits: 1000,
      note: 'Invoice 2026-017',
      reference: 'inv_2026_017',
    },
    { day: '2026-01-04', kind: 'charge', note: null, reference: null, entries: 12, credits: 480 },
  ],
};

const getStatement = endpoint({
  operationId: 'getStatement',
  method: 'GET',
  path: '/admin/accounts/:id/statement',
  summary: 'Get the statement of a month',
  description: 'The opening balance and the lines add up to the closing balance.',
  auth: 'member',
  role: 'viewer',
  sessionLimit: usageLimit,
  query: StatementQuery,
  responses: {
    200: jsonResponse('The balances and what changed them.', StatementResponse, {
      month: ['A month', sample],
    }),
  },
  errors: { invalid_request: 'month must be a month, such as 2026-01' },
  async handler({ lifecycle: { db } }, { params, query: { mode, month } }) {
    const { id: accountId } = await getAccount(db, params.id!);
    const since = new Date(`${month}-01T00:00:00Z`);
    const until = new Date(since);
    until.setUTCMonth(until.getUTCMonth() + 1);
    const statement = await readStatement(db, { accountId, mode, since, until });
    const body: StatementResponse = {
      month,
      mode,
      opening_balance: statement.openingBalance,
      closing_balance: statement.closingBalance,
      lines: [...statement.lines],
    };
    return { body };
  },
});

export const statementEndpoints = [getStatement];
