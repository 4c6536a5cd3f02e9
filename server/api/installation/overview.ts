/** The whole installation by day: credits, tasks, times and providers. */
import { OverviewQuery, OverviewResponse } from '@vidgen/contract/admin-system.ts';
import { type LedgerDay, readLedgerDays } from '../../ledger/ledger-days.ts';
import { dayMs, nowMs } from '../../process/clock.ts';
import {
  type InstallationDays,
  type InstallationTime,
  readInstallationDays,
} from '../../tasks/installation-days.ts';
import { usageLimit } from '../credits/usage.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { createdAt } from '../http/samples.ts';
import { countAttempts } from '../providers/provider-figures.ts';

const numbers = {
  sold: 5000,
  spent: 480,
  refunded: 40,
  tasks: 14,
  completed: 12,
  failed: 1,
  cancelled: 1,
  p50_seconds: 92.4,
  p95_seconds: 171,
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

const getOverview = endpoint({
  operationId: 'getOverview',
  method: 'GET',
  path: '/admin/overview',
  summary: 'Get the overview',
  description: 'From rows, not from counters of a process. Days are in UTC, today included.',
  auth: 'admin',
  sessionLimit: usageLimit,
  query: OverviewQuery,
  responses: {
    200: jsonResponse('Credits, tasks, times and providers.', OverviewResponse, {
      day: ['One day', overview],
    }),
  },
  async handler({ lifecycle: { db } }, request) {
    const { mode, days } = request.query;
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

type Rows = InstallationDays & { readonly ledger: readonly LedgerDay[] };

function overviewView({
  since,
  until,
  ...rows
}: Rows & { readonly since: Date; readonly until: Date }): OverviewResponse {
  const days: string[] = [];
  for (let at = since.getTime(); at < until.getTime(); at += dayMs) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return {
    since: Math.floor(since.getTime() / 1000),
    until: Math.ceil(until.getTime() / 1000),
    total: numbersOf(rows),
    days: days.map((day) => {
      const ofDay = rowsOf(rows, day);
      return { day, ...numbersOf(ofDay), models: modelsOf(ofDay) };
    }),
    providers: providersOf(rows, days),
  };
}

const rowsOf = (rows: Rows, day: string): Rows => ({
  counts: rows.counts.filter((row) => row.day === day),
  times: rows.times.filter((row) => row.day === day),
  providers: rows.providers.filter((row) => row.day === day),
  ledger: rows.ledger.filter((row) => row.day === day),
});

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

function numbersOf({ counts, times, ledger }: Rows): OverviewResponse['total'] {
  const moved = (...kinds: LedgerDay['kind'][]) =>
    sum(ledger.filter(({ kind }) => kinds.includes(kind)).map(({ credits }) => credits));
  const ended = (outcome: string) =>
    sum(counts.filter((count) => count.outcome === outcome).map(({ tasks }) => tasks));
  return {
    sold: moved('grant') - moved('deduct'),
    spent: moved('charge'),
    refunded: moved('refund', 'release'),
    tasks: sum(counts.map(({ tasks }) => tasks)),
    completed: ended('completed'),
    failed: ended('failed'),
    cancelled: ended('cancelled'),
    p50_seconds: percentile(times, 0.5),
    p95_seconds: percentile(times, 0.95),
  };
}

/** The shortest time that so many tasks did not exceed; null without a task. */
function percentile(times: readonly InstallationTime[], share: number): number | null {
  const wanted = share * sum(times.map(({ tasks }) => tasks));
  let reached = 0;
  for (const { seconds, tasks } of times.toSorted((one, other) => one.seconds - other.seconds)) {
    reached += tasks;
    if (reached >= wanted) return Number(seconds.toPrecision(3));
  }
  return null;
}

function modelsOf({ counts }: Rows): OverviewResponse['days'][number]['models'] {
  return [...new Set(counts.map(({ model }) => model))].map((model) => {
    const own = counts.filter((count) => count.model === model);
    const tasks = sum(own.map((count) => count.tasks));
    return { model, tasks, credits: sum(own.map(({ credits }) => credits)) };
  });
}

function providersOf({ providers }: Rows, days: readonly string[]): OverviewResponse['providers'] {
  return [...new Set(providers.map(({ provider }) => provider))].toSorted().map((name) => {
    const own = providers.filter(({ provider }) => provider === name);
    return {
      name,
      ...countAttempts(own),
      days: days.map((day) => ({ day, ...countAttempts(own.filter((row) => row.day === day)) })),
    };
  });
}

export const overviewEndpoints = [getOverview];
