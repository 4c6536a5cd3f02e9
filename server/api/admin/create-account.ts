/** Creates an account with empty balances in both modes. */
import { Account, CreateAccountRequest } from '@vidgen/contract/admin-accounts.ts';
import { createAccount as createAccountRow } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { createBalances } from '../../ledger/ledger.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';

export const createAccount = endpoint({
  parsesItself: true,
  operationId: 'createAccount',
  method: 'POST',
  path: '/admin/accounts',
  summary: 'Create an account',
  description: 'It starts with no credits in either mode.',
  auth: 'admin',
  body: CreateAccountRequest,
  requestExamples: { studio: ['An account', { name: 'Paper Boat Studio' }] },
  responses: {
    201: {
      description: 'The account, with the secret that signs its webhooks.',
      schema: Account,
      examples: { account: ['An account', account] },
    },
  },
  errors: { invalid_request: 'name is required' },
  async handler({ lifecycle: { db } }, { body, actor, transaction }) {
    const { name } = parseBody(CreateAccountRequest, body);
    const created = await transaction(async (tx) => {
      const row = await createAccountRow(tx, { name });
      await createBalances(tx, row.id);
      const detail = { name };
      await recordAudit(tx, { actor, action: 'account.create', subject: row.id, detail });
      return row;
    });
    return { status: 201, body: await accountWithBalances(db, created, { isAdmin: true }) };
  },
});
