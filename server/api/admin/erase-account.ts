/** Erases an account: what is left of it afterwards is its ledger and usage, without its name. */
import { Account, EraseAccountRequest } from '@vidgen/contract/admin-accounts.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { getAccount } from '../../accounts/account.ts';
import { eraseAccount as erase } from '../../lifecycle/upkeep/erase-account.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';

const startedAt = account.created_at + 60;
const erased = {
  ...account,
  ...{ name: 'Erased account', closed_at: startedAt, erasure_started_at: startedAt },
};

export const eraseAccount = endpoint({
  parsesItself: true,
  operationId: 'eraseAccount',
  method: 'POST',
  path: '/admin/accounts/:id/erase',
  summary: 'Erase an account',
  description:
    'Closes the account and deletes its members, keys, webhook endpoint, tasks, deliveries and ' +
    'files. People without another account are deleted, too. The ledger and usage stay, without ' +
    'a name. Deleting goes on in the background until `erased_at` is set, also after a restart. ' +
    'Rejected while tasks are in progress or refunds are to be resolved. Cannot be undone.',
  auth: 'admin',
  requiresConfirmation: true,
  body: EraseAccountRequest,
  requestExamples: { named: ['With its name', { name: account.name }] },
  responses: {
    202: {
      description: 'The account is being erased.',
      schema: Account,
      examples: { erasing: ['Being erased', erased] },
    },
  },
  errors: {
    invalid_request:
      'The account has tasks in progress (3); cancel them, or wait until they have ended.',
  },
  async handler({ lifecycle: { db }, keys }, { params, body, actor, transaction }) {
    const { name } = parseBody(EraseAccountRequest, body);
    const { id: accountId } = await getAccount(db, params.id!);
    await transaction(async (tx) => {
      const current = await getAccount(tx, accountId);
      if (current.erasureStartedAt !== null) return;
      if (current.name !== name.trim()) throw otherName();
      await erase(tx, { accountId, actor });
    });
    keys.invalidateAccount(accountId);
    const row = await getAccount(db, accountId);
    return { status: 202, body: await accountWithBalances(db, row, { isAdmin: true }) };
  },
});

const otherName = (): ApiError =>
  new ApiError('invalid_request', 'name must be the name of the account');
