/** Sets how long an account keeps what it sent and received. */
import { Account, type Retention, SetRetentionRequest } from '@vidgen/contract/admin-accounts.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { setRetention as setDays } from '../../accounts/retention.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';

const retention: Retention = { ...account.retention, prompts_days: 30, tasks_days: 365 };

export const setRetention = endpoint({
  parsesItself: true,
  operationId: 'setRetention',
  method: 'POST',
  path: '/admin/accounts/:id/retention',
  summary: 'Set the retention of an account',
  description:
    'Overrides `VIDGEN_RETAIN_…_DAYS` and `VIDGEN_RESULT_TTL` for one account. Fields that are ' +
    'left out do not change. What is too old is deleted within minutes, and cannot be restored.',
  auth: 'admin',
  requiresConfirmation: true,
  body: SetRetentionRequest,
  requestExamples: {
    prompts: ['Prompts for 30 days, tasks for a year', { prompts_days: 30, tasks_days: 365 }],
    usual: ['Prompts as the installation says', { prompts_days: null }],
  },
  responses: {
    200: {
      description: 'The account with its retention.',
      schema: Account,
      examples: { account: ['With its retention', { ...account, retention }] },
    },
  },
  errors: { invalid_request: 'prompts_days must be at most 3650 (got 5000)' },
  async handler({ lifecycle: { db } }, { params, body, actor, transaction }) {
    const detail = parseBody(SetRetentionRequest, body);
    const { prompts_days, deliveries_days, tasks_days, files_days } = detail;
    const changed = await transaction(async (tx) => {
      const { id } = await getAccount(tx, params.id!);
      await setDays(tx, id, {
        ...(prompts_days === undefined ? {} : { prompts: prompts_days }),
        ...(deliveries_days === undefined ? {} : { deliveries: deliveries_days }),
        ...(tasks_days === undefined ? {} : { tasks: tasks_days }),
        ...(files_days === undefined ? {} : { files: files_days }),
      });
      await recordAudit(tx, { actor, action: 'retention.set', subject: id, detail });
      return await getAccount(tx, id);
    });
    return { body: await accountWithBalances(db, changed, { isAdmin: true }) };
  },
});
