/** Returns the whole installation by day: credits, tasks, times and providers. */
import { OverviewQuery, OverviewResponse } from '@vidgen/contract/admin-overview.ts';
import { readLedgerDays } from '../../ledger/ledger-days.ts';
import { nowMs } from '../../process/clock.ts';
import { readInstallationDays } from '../../tasks/installation-days.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { createdAt } from '../http/samples.ts';
import { overviewView } from './overview-view.ts';
import { usageLimit } from './session-limits.ts';

const dayMs = 86_400_000;

const numbers = {
  ...{ sold: 5000, spent: 480, refunded: 40, tasks: 14, completed: 12, failed: 1, cancelled: 1 },
  ...{ p50_seconds: 92.4, p95_seconds: 171 },
};
const health = { attempts: 14, completed: 12, failed: 1 };
const overview = {
  since: createdAt - 86_400,
  until: createdAt,
  total: numbers,
  days: [
    { ...numbers, day: '2025-12-31', models: [{ model: 'vidgen-2-5', tasks: 14, credits: 480 }] },
  ],
  providers: [{ name: 'modelark', ...health, days: [{ day: '2025-12-31', ...health }] }],
};

export const getOverview = endpoint({
  parsesItself: true,
  operationId: 'getOverview',
  method: 'GET',
  path: '/admin/overview',
  summary: 'Get the overview',
  description: 'From rows, not from counters of a process. Days are in UTC, today included.',
  auth: 'admin',
  sessionLimit: usageLimit,
  query: OverviewQuery,
  responses: {
    200: {
      description: 'Credits, tasks, times and providers.',
      schema: OverviewResponse,
      examples: { day: ['One day', overview] },
    },
  },
  async handler({ lifecycle: { db } }, request) {
    const { mode, days } = parseQuery(OverviewQuery, request.query);
    const until = new Date(nowMs());
    const today = Math.floor(until.getTime() / dayMs) * dayMs;
    const since = new Date(today - (Number(days) - 1) * dayMs);
    const [tasks, ledger] = await Promise.all([
      readInstallationDays(db, { mode, period: { since, until: new Date(today + dayMs) } }),
      readLedgerDays(db, { mode, since }),
    ]);
    return { body: overviewView({ since, until, ...tasks, ledger }) };
  },
});
