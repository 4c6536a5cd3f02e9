/** Measured times in one sentence: the middle one, and what all but one in a hundred stay under. */
export function quantilesOf(milliseconds: readonly number[]): string {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  const shown = (ms: number | undefined) => (ms === undefined ? 'none' : `${ms.toFixed(1)} ms`);
  return `p50 ${shown(at(0.5))}, p99 ${shown(at(0.99))} (${sorted.length})`;
}
