/** Sets the limits of one account. */
import { SetLimitsRequest } from '@vidgen/contract/account-controls.ts';
import { Account } from '@vidgen/contract/admin-accounts.ts';
import { setAccountLimits } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';

export const setLimits = endpoint({
  parsesItself: true,
  operationId: 'setLimits',
  method: 'POST',
  path: '/admin/accounts/:id/limits',
  summary: 'Set the limits of an account',
  description:
    'Overrides `VIDGEN_RATE_CREATE_ACCOUNT` and `VIDGEN_RUNNING_TASKS_ACCOUNT` for one account. ' +
    'Fields that are left out do not change. The limit of each key still applies. A create above ' +
    'a limit returns 429.',
  auth: 'admin',
  requiresConfirmation: true,
  body: SetLimitsRequest,
  requestExamples: {
    both: ['Both', { creates_per_minute: 60, running_tasks: 20 }],
    usual: ['Tasks in progress as the installation says', { running_tasks: null }],
  },
  responses: {
    200: {
      description: 'The account with its limits.',
      schema: Account,
      examples: { account: ['With its limits', account] },
    },
  },
  errors: { invalid_request: 'running_tasks must be at least 0 (got -1)' },
  async handler({ lifecycle: { db }, keys }, { params, body, actor, transaction }) {
    const detail = parseBody(SetLimitsRequest, body);
    const changed = await transaction(async (tx) => {
      const row = await setAccountLimits(tx, params.id!, {
        createsPerMinuteMax: detail.creates_per_minute,
        runningTasksMax: detail.running_tasks,
      });
      await recordAudit(tx, { actor, action: 'limits.set', subject: row.id, detail });
      return row;
    });
    keys.invalidateAccount(changed.id);
    return { body: await accountWithBalances(db, changed, { isAdmin: true }) };
  },
});
