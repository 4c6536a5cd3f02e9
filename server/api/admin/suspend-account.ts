/** Suspends an account until it is resumed. */
import { SuspendAccountRequest } from '@vidgen/contract/account-controls.ts';
import { Account } from '@vidgen/contract/admin-accounts.ts';
import { keyModes } from '@vidgen/contract/models.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { suspendAccount as suspend } from '../../accounts/suspension.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';

const suspended = {
  ...account,
  ...{ suspended_at: account.created_at + 60, suspension_note: 'Invoice 2026-017 is overdue' },
};

export const suspendAccount = endpoint({
  parsesItself: true,
  operationId: 'suspendAccount',
  method: 'POST',
  path: '/admin/accounts/:id/suspend',
  summary: 'Suspend an account',
  description:
    'Requests with its keys return 401 with the reason, everywhere within 5 seconds. Members can ' +
    'sign in and read, but create nothing. Tasks in progress end and are settled, webhooks are ' +
    'sent, and signed URLs of results work until they expire. Suspending again replaces the note.',
  auth: 'admin',
  requiresConfirmation: true,
  body: SuspendAccountRequest,
  bodyIsOptional: true,
  requestExamples: { unpaid: ['An unpaid invoice', { note: suspended.suspension_note }] },
  responses: {
    200: {
      description: 'The suspended account.',
      schema: Account,
      examples: { suspended: ['Suspended', suspended] },
    },
  },
  errors: { invalid_request: 'note must not be empty' },
  async handler({ lifecycle: { db }, keys }, { params, body, actor, transaction }) {
    const { note = null } = parseBody(SuspendAccountRequest, body === undefined ? {} : body);
    const { id: accountId } = await getAccount(db, params.id!);
    const row = await transaction(async (tx) => {
      // Creates decide under these locks: one that has not been accepted sees the suspension.
      await lockBalances(
        tx,
        keyModes.map((mode) => ({ accountId, mode })),
      );
      const changed = await suspend(tx, { accountId, note });
      const detail = { note };
      await recordAudit(tx, { actor, action: 'account.suspend', subject: accountId, detail });
      return changed;
    });
    keys.invalidateAccount(accountId);
    return { body: await accountWithBalances(db, row, { isAdmin: true }) };
  },
});
