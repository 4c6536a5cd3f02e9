/** Quantiles of measured values. */

/** Interpolates between the two nearest values; NaN without values. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)]!;
  return below + (sorted[Math.ceil(place)]! - below) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The median and the 99th percentile of durations, as text. */
export function timesSentence(milliseconds: readonly number[]): string {
  if (milliseconds.length === 0) return 'none';
  const shown = (share: number) => `${quantile(milliseconds, share).toFixed(1)} ms`;
  return `p50 ${shown(0.5)}, p99 ${shown(0.99)} (${milliseconds.length})`;
}
