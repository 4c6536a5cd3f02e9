/** Converts usage rows to chart data with one point per day, including days without tasks. */
import type { UsageResponse, UsageRow } from '@vidgen/contract/usage.ts';

export type Grouping = 'model' | 'resolution' | 'status' | 'key';
export type Measure = 'tasks' | 'credits';
/** The day and one number per series. */
type Point = { readonly day: string } & Readonly<Record<string, number | string>>;

const dayMs = 86_400_000;

/** Unix seconds, rounded to whole days, so that the key of a query stays the same all day. */
export function startOfSpan(days: number): number {
  const today = Math.floor(Date.now() / dayMs);
  return ((today - days + 1) * dayMs) / 1000;
}

/** Tasks that completed or failed. Canceled ones did neither. */
export function endedOf({ total, failures }: Pick<UsageResponse, 'total' | 'failures'>) {
  // A process of the version before sends no reasons.
  const cancelled = failures?.find(({ failed_reason: reason }) => reason === 'cancelled');
  return { completed: total.completed, failed: total.failed - (cancelled?.tasks ?? 0) };
}

/** Days in UTC, like those of the service, both inclusive. */
export function daysBetween(sinceSeconds: number, untilSeconds: number): string[] {
  const first = Math.floor((sinceSeconds * 1000) / dayMs);
  const last = Math.floor((untilSeconds * 1000 - 1) / dayMs);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) =>
    new Date((first + at) * dayMs).toISOString().slice(0, 10),
  );
}

/** Returns the names of the series, largest first. */
export function seriesOf(usage: UsageResponse, by: Grouping, measure: Measure): string[] {
  const totals = new Map<string, number>();
  for (const row of usage.rows) {
    const name = seriesName(usage, row, by);
    totals.set(name, (totals.get(name) ?? 0) + row[measure]);
  }
  return [...totals]
    .filter(([, total]) => total > 0)
    .sort(([a, most], [b, least]) => least - most || a.localeCompare(b))
    .map(([name]) => name);
}

export function pointsOf(usage: UsageResponse, by: Grouping, measure: Measure): Point[] {
  const names = seriesOf(usage, by, measure);
  const empty = Object.fromEntries(names.map((name) => [name, 0]));
  const points = new Map<string, Record<string, number>>();
  for (const day of daysBetween(usage.since, usage.until)) points.set(day, { ...empty });
  for (const row of usage.rows) {
    const point = points.get(row.day);
    const name = seriesName(usage, row, by);
    if (point && row[measure] > 0) point[name] = (point[name] ?? 0) + row[measure];
  }
  return [...points].map(([day, values]) => ({ day, ...values }));
}

/** Appends the key's last four characters, because two keys can have the same name. */
function seriesName({ keys }: UsageResponse, row: UsageRow, by: Grouping): string {
  if (by !== 'key') return row[by];
  const key = keys.find(({ id }) => id === row.key_id);
  return key ? `${key.name} …${key.last_four}` : row.key_id;
}
