/** Changes the name, the limits and the balance alert of an account, in one commit. */
import { ChangeAccountRequest } from '@vidgen/contract/account-controls.ts';
import { Account } from '@vidgen/contract/admin-accounts.ts';
import { getAccount, renameAccount, setAccountLimits } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import type { Transaction } from '../../database/database.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest } from '../http/handler.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';
import { changeBalanceAlert } from './set-balance-alert.ts';

export const changeAccount = endpoint({
  parsesItself: true,
  operationId: 'changeAccount',
  method: 'PATCH',
  path: '/admin/accounts/:id',
  summary: 'Change an account',
  description: 'Fields that are left out do not change.',
  auth: 'admin',
  requiresConfirmation: true,
  body: ChangeAccountRequest,
  requestExamples: {
    some: ['Limits and an alert', { creates_per_minute: 60, running_max: 20, low_balance: 500 }],
    name: ['A new name', { name: 'Paper Boat Films' }],
  },
  responses: {
    200: {
      description: 'The account as it is now.',
      schema: Account,
      examples: { account: ['Changed', account] },
    },
  },
  errors: { invalid_request: 'running_max must be at least 0 (got -1)' },
  async handler({ lifecycle: { db }, keys }, { params, body, actor, transaction }) {
    const changes = parseBody(ChangeAccountRequest, body);
    const changed = await transaction(async (tx) => {
      const { id } = await getAccount(tx, params.id!);
      await applyChanges(tx, { accountId: id, changes, actor });
      return await getAccount(tx, id);
    });
    keys.invalidateAccount(changed.id);
    return { body: await accountWithBalances(db, changed, { isAdmin: true }) };
  },
});

type Changes = Pick<ApiRequest, 'actor'> & {
  readonly accountId: string;
  readonly changes: ChangeAccountRequest;
};

async function applyChanges(
  tx: Transaction,
  { accountId, changes, actor }: Changes,
): Promise<void> {
  const { name, creates_per_minute, running_max: running_tasks, low_balance } = changes;
  if (name !== undefined) {
    const { renamed, previousName } = await renameAccount(tx, { accountId, name });
    const detail = { name: renamed.name, previous_name: previousName };
    await recordAudit(tx, { actor, action: 'account.rename', subject: accountId, detail });
  }
  if (creates_per_minute !== undefined || running_tasks !== undefined) {
    await setAccountLimits(tx, accountId, {
      createsPerMinuteMax: creates_per_minute,
      runningTasksMax: running_tasks,
    });
    const detail = {
      ...(creates_per_minute !== undefined && { creates_per_minute }),
      ...(running_tasks !== undefined && { running_tasks }),
    };
    await recordAudit(tx, { actor, action: 'limits.set', subject: accountId, detail });
  }
  if (low_balance !== undefined) {
    await changeBalanceAlert(tx, { accountId, threshold: low_balance, actor });
  }
}
