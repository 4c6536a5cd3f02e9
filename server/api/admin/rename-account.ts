/** Renames an account. Its owners cannot: administrators tell accounts apart by their names. */
import { RenameAccountRequest } from '@vidgen/contract/account-controls.ts';
import { Account } from '@vidgen/contract/admin-accounts.ts';
import { renameAccount as rename } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';

export const renameAccount = endpoint({
  parsesItself: true,
  operationId: 'renameAccount',
  method: 'POST',
  path: '/admin/accounts/:id/name',
  summary: 'Rename an account',
  auth: 'admin',
  body: RenameAccountRequest,
  requestExamples: { name: ['A new name', { name: 'Paper Boat Films' }] },
  responses: {
    200: {
      description: 'The account with its new name.',
      schema: Account,
      examples: { renamed: ['Renamed', { ...account, name: 'Paper Boat Films' }] },
    },
  },
  errors: { invalid_request: 'name must not be empty' },
  async handler({ lifecycle: { db } }, { params, body, actor, transaction }) {
    const { name } = parseBody(RenameAccountRequest, body);
    const renamed = await transaction(async (tx) => {
      const { renamed: row, previousName } = await rename(tx, { accountId: params.id!, name });
      const detail = { name: row.name, previous_name: previousName };
      await recordAudit(tx, { actor, action: 'account.rename', subject: row.id, detail });
      return row;
    });
    return { body: await accountWithBalances(db, renamed, { isAdmin: true }) };
  },
});
