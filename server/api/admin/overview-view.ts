/** The installation by day as JSON (contract/admin-overview.ts), with every day of the period. */
import type { OverviewResponse } from '@vidgen/contract/admin-overview.ts';
import type { LedgerDay } from '../../ledger/ledger-days.ts';
import type {
  InstallationDays,
  InstallationTime,
  ProviderCount,
} from '../../tasks/installation-days.ts';

type Numbers = OverviewResponse['total'];
type Rows = InstallationDays & { readonly ledger: readonly LedgerDay[] };

const dayMs = 86_400_000;

export function overviewView({
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

function numbersOf({ counts, times, ledger }: Rows): Numbers {
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

/** Outcomes that a provider is not responsible for count as neither: `cancelled`, `throttled`. */
const failures = ['refused', 'failed', 'lost', 'timed_out', 'abandoned'];

export function countAttempts(rows: readonly Pick<ProviderCount, 'outcome' | 'attempts'>[]) {
  const count = (isCounted: (outcome: string) => boolean) =>
    sum(rows.filter(({ outcome }) => isCounted(outcome)).map(({ attempts }) => attempts));
  return {
    attempts: count(() => true),
    completed: count((outcome) => outcome === 'completed'),
    failed: count((outcome) => failures.includes(outcome)),
  };
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
