/**
 * Samples of a soak run, and whether one of their values grows: the median of the last fifth of the
 * run is above that of the second by more than is allowed. The first fifth is the warm-up; medians,
 * so that a peak, a garbage collection or a crash has no effect.
 */
import { historyTables, passingTables, rewrittenTables, type SoakSample } from './sampler.ts';

export type GrowthCheck = {
  readonly what: string;
  readonly before: number;
  readonly after: number;
  readonly allowed: number;
  readonly grows: boolean;
};

const mebibyte = 1024 ** 2;

/** The allowed rise: a share of the level or an absolute value, whichever is more. */
const allowances: readonly (readonly [what: string, share: number, least: number])[] = [
  ['resident bytes', 0.15, 24 * mebibyte],
  ['open files', 0.2, 60],
  ['sockets', 0.2, 60],
  ['database connections', 0.2, 6],
  ['result bytes', 0.3, mebibyte],
  ['result files', 0.3, 60],
  ['unfinished bytes', 0.3, mebibyte],
  ...passingTables.map((table) => [`rows of ${table}`, 0.5, 100] as const),
  ...rewrittenTables.map((table) => [`bytes of ${table}`, 0.4, mebibyte] as const),
  ...[...historyTables, 'database'].map((name) => [`bytes of ${name} a task`, 0.1, 64] as const),
];

export function checkGrowth(samples: readonly SoakSample[]): GrowthCheck[] {
  const fifth = (nth: number) =>
    samples.slice((samples.length * nth) / 5, (samples.length * (nth + 1)) / 5);
  return allowances.map(([what, share, least]) => {
    const [before, after] = [medianOf(fifth(1), what), medianOf(fifth(4), what)];
    const allowed = Math.max(least, before * share);
    return { what, before, after, allowed, grows: after - before > allowed };
  });
}

/** NaN without values, which is no growth. */
function medianOf(samples: readonly SoakSample[], what: string): number {
  const sorted = samples.flatMap((sample) => sample[what] ?? []).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
