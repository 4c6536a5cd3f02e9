/** Returns the limits that apply to an account, and its use of them. */
import { LimitsUse } from '@vidgen/contract/account-controls.ts';
import { keyModes } from '@vidgen/contract/models.ts';
import { getAccount } from '../../accounts/account.ts';
import { countRunning } from '../../tasks/task-counts.ts';
import { endpoint } from '../http/endpoint.ts';
import { createWindowName } from '../http/enforce-rate-limit.ts';

/** Beyond it, the count is not exact. */
const runningCountMax = 100_000;

const use: LimitsUse = {
  creates_per_minute: { limit: 60, used: 12 },
  running_tasks: { limit: 20, live: 7, test: 0 },
};

export const getLimits = endpoint({
  operationId: 'getLimits',
  method: 'GET',
  path: '/admin/accounts/:id/limits',
  summary: 'Get the limits of an account',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: {
      description: 'What applies, of the account or the installation, and the use.',
      schema: LimitsUse,
      examples: { use: ['In use', use] },
    },
  },
  async handler({ lifecycle: { db }, accountLimits, statusLimiter }, { params }) {
    const account = await getAccount(db, params.id!);
    const { id: accountId } = account;
    const creates = account.createsPerMinuteMax ?? accountLimits.create;
    const counts = await countRunning(
      db,
      keyModes.map((mode) => ({ accountId, mode, countMax: runningCountMax })),
    );
    const runningOf = (wanted: string) => counts.find(({ mode }) => mode === wanted)?.running ?? 0;
    const { remaining } = statusLimiter.peek(createWindowName(accountId), creates);
    const body: LimitsUse = {
      creates_per_minute: { limit: creates, used: creates === 0 ? null : creates - remaining },
      running_tasks: {
        limit: account.runningTasksMax ?? accountLimits.running,
        live: runningOf('live'),
        test: runningOf('test'),
      },
    };
    return { body };
  },
});
