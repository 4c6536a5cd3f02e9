/** What each provider did in the last 30 days, of all processes: from rows that were added up. */
import type { ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import type { Queryable } from '../../database/database.ts';
import { dayMs, monotonicMs, nowMs } from '../../process/clock.ts';
import { readMedianSeconds } from '../../tasks/find-attempts.ts';
import { type ProviderCount, readProviderDays } from '../../tasks/installation-days.ts';

type Figures = ProviderHealth['last_30_days'];
export type ProviderFigures = (provider: string) => Figures;

const days = 30;
const noFigures: Figures = {
  attempts: 0,
  completed: 0,
  failed: 0,
  median_seconds: null,
  cost_per_second: null,
};

/** Pages poll it, and today is read row by row: reading takes at most this share of the time. */
const readShare = 1 / 50;
const keptMsMax = 60_000;

/** Returns a reader. Calls while it reads, and for a while after, get the same figures. */
export function createProviderFigures(
  db: Queryable,
  currency: string,
): () => Promise<ProviderFigures> {
  let kept: Promise<ProviderFigures> | null = null;
  let keptUntilMs = Number.POSITIVE_INFINITY;
  return () => {
    if (kept !== null && monotonicMs() < keptUntilMs) return kept;
    const fromMs = monotonicMs();
    keptUntilMs = Number.POSITIVE_INFINITY;
    const read = readFigures(db, currency);
    read.then(
      () => {
        const atMs = monotonicMs();
        keptUntilMs = atMs + Math.min((atMs - fromMs) / readShare, keptMsMax);
      },
      () => {
        kept = null;
      },
    );
    kept = read;
    return read;
  };
}

async function readFigures(db: Queryable, currency: string): Promise<ProviderFigures> {
  const today = Math.floor(nowMs() / dayMs) * dayMs;
  const period = { since: new Date(today - (days - 1) * dayMs), until: new Date(today + dayMs) };
  const rows = Map.groupBy(await readProviderDays(db, period), ({ provider }) => provider);
  const providers = [...rows.keys()];
  const times = await readMedianSeconds(db, { providers, since: period.since });
  const figures = new Map(
    times.map(({ provider, seconds, costPerSecond }) => [
      provider,
      {
        ...countAttempts(rows.get(provider)!),
        median_seconds: seconds === null ? null : Number(seconds.toPrecision(3)),
        cost_per_second:
          costPerSecond === null
            ? null
            : { amount: Number(costPerSecond.toPrecision(3)), currency },
      },
    ]),
  );
  return (provider) => figures.get(provider) ?? noFigures;
}

/** Outcomes that a provider is not responsible for count as neither: `cancelled`, `throttled`. */
const failures = ['refused', 'failed', 'lost', 'timed_out', 'abandoned'];

export function countAttempts(rows: readonly Pick<ProviderCount, 'outcome' | 'attempts'>[]) {
  const count = (isCounted: (outcome: string) => boolean) =>
    rows.reduce((sum, row) => sum + (isCounted(row.outcome) ? row.attempts : 0), 0);
  return {
    attempts: count(() => true),
    completed: count((outcome) => outcome === 'completed'),
    failed: count((outcome) => failures.includes(outcome)),
  };
}
