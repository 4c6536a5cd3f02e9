/** A measured piece of work beside its limit, and whether the target is reached. */
import { type Measured, ratioOf, type Sample } from './rounds.ts';

type Target = {
  readonly field: keyof Sample;
  readonly bound: 'at most' | 'at least';
  readonly ratio: number;
};

export type Comparison = {
  readonly id: string;
  readonly title: string;
  readonly target: Target;
  readonly subject: Measured;
  readonly limit: Measured;
  readonly ratio: number;
  readonly isReached: boolean;
  /** What a reader of the figures must know, one sentence each. */
  readonly notes: readonly string[];
};

export function compare(
  about: Pick<Comparison, 'id' | 'title' | 'target'> & { readonly notes?: readonly string[] },
  subject: Measured,
  limit: Measured,
): Comparison {
  const { target, notes = [] } = about;
  const ratio = ratioOf(subject, limit, target.field);
  const isReached = target.bound === 'at most' ? ratio <= target.ratio : ratio >= target.ratio;
  return { ...about, notes, subject, limit, ratio, isReached };
}

const fieldNames: Partial<Record<keyof Sample, string>> = {
  totalMicros: 'processor time',
  perSecond: 'requests per second',
};

const describeTarget = ({ field, bound, ratio }: Target): string =>
  `${bound} ${ratio} × ${fieldNames[field] ?? field}`;

export const describeResult = ({ ratio, isReached }: Comparison): string =>
  `${ratio.toFixed(2)} ×, ${isReached ? 'reached' : 'missed'}`;

/** A Markdown table, which is also readable on a terminal. */
export function comparisonTable(comparison: Comparison): string {
  const { title, target, subject, limit, notes } = comparison;
  const header = [
    ...['', 'per second', 'p50 ms', 'p99 ms', 'service µs', 'database µs', 'both µs'],
    ...(subject.walBytes > 0 ? ['WAL bytes'] : []),
  ];
  const rows = [subject, limit].map((one) => [
    one.name,
    one.perSecond.toFixed(0),
    ...[one.p50Ms, one.p99Ms].map((ms) => (ms > 0 ? ms.toFixed(1) : '–')),
    ...[one.serviceMicros, one.databaseMicros, one.totalMicros].map((micros) => micros.toFixed(0)),
    ...(subject.walBytes > 0 ? [one.walBytes.toFixed(0)] : []),
  ]);
  return [
    `### ${title}`,
    '',
    `Target: ${describeTarget(target)} of the limit. Result: **${describeResult(comparison)}**.`,
    '',
    ...table(header, rows),
    ...notes.flatMap((note) => ['', note]),
    '',
  ].join('\n');
}

/** Aligned, so that it can be read without being rendered. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((_, at) =>
    Math.max(3, ...[header, ...rows].map((row) => row[at]!.length)),
  );
  const cellOf = (cell: string, at: number) =>
    at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!);
  const line = (row: readonly string[]) => `| ${row.map(cellOf).join(' | ')} |`;
  const rule = widths.map((width, at) =>
    at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(header), `| ${rule.join(' | ')} |`, ...rows.map(line)];
}
