/**
 * Decides whether a series grows without end, by one rule for all series: it rises by more than is
 * allowed and is still rising at the end of the run. Levels and slopes are medians, so that a peak,
 * a garbage collection or a crash has no effect.
 */

import { monotonicMs } from '../../../server/process/clock.ts';
import { median } from '../quantile.ts';
import type { Disturbance } from './schedule.ts';

export type SeriesPoint = { readonly atMs: number; readonly value: number };

/** The allowed rise: a share of the level or an absolute value, whichever is more. */
export type Allowance = { readonly share: number; readonly least: number };

export type Growth = {
  /** Medians of the second and of the last fifth of the run; the first is the warm-up. */
  readonly before: number;
  readonly after: number;
  readonly allowed: number;
  readonly verdict: 'flat' | 'settled' | 'grows' | 'too few points';
};

const fifths = 5;
const pointsMin = 3;
/** From the middle of the second fifth to that of the last, as a share of the run. */
const spanOfRise = 3 / fifths;
/** The slope of the second half, as a share of that of the whole rise, which still rises. */
const stillRising = 1 / 2;

export function classifyGrowth(
  points: readonly SeriesPoint[],
  { share, least }: Allowance,
): Growth {
  const known = points.filter(({ value }) => Number.isFinite(value));
  const [, second, , , last] = fifthsOf(known);
  if (!second || !last) {
    return { before: 0, after: 0, allowed: least, verdict: 'too few points' };
  }
  const [before, after] = [median(second), median(last)];
  const allowed = Math.max(least, Math.abs(before) * share);
  const rise = after - before;
  if (rise <= allowed) return { before, after, allowed, verdict: 'flat' };
  const fromMs = known[0]!.atMs;
  const spanMs = known.at(-1)!.atMs - fromMs;
  const late = slopeOf(known.filter(({ atMs }) => atMs - fromMs >= spanMs / 2));
  const whole = rise / (spanMs * spanOfRise);
  return { before, after, allowed, verdict: late > whole * stillRising ? 'grows' : 'settled' };
}

/** The median of the slopes between all pairs of points (Theil-Sen estimator). */
function slopeOf(points: readonly SeriesPoint[]): number {
  return median(
    points.flatMap((one, at) =>
      points
        .slice(at + 1)
        .filter(({ atMs }) => atMs > one.atMs)
        .map((other) => (other.value - one.value) / (other.atMs - one.atMs)),
    ),
  );
}

/** A fifth with too few points is undefined. */
function fifthsOf(known: readonly SeriesPoint[]): (readonly number[] | undefined)[] {
  const fromMs = known[0]?.atMs ?? 0;
  const spanMs = (known.at(-1)?.atMs ?? 0) - fromMs;
  return Array.from({ length: fifths }, (_, fifth) => {
    const values = known
      .filter(({ atMs }) => {
        const part = Math.floor(((atMs - fromMs) / spanMs) * fifths);
        return Math.min(fifths - 1, part) === fifth;
      })
      .map(({ value }) => value);
    return values.length < pointsMin ? undefined : values;
  });
}

type DisturbanceMark = { readonly atMs: number; readonly kind: Disturbance['kind'] };

export class Measurements {
  readonly marks: DisturbanceMark[] = [];
  #fromMs = monotonicMs();
  readonly #series = new Map<string, SeriesPoint[]>();

  /** Sets the start of the run to now. */
  begin(): void {
    this.#fromMs = monotonicMs();
  }

  /** Milliseconds since the start of the run. */
  get nowMs(): number {
    return monotonicMs() - this.#fromMs;
  }

  mark(kind: Disturbance['kind']): void {
    this.marks.push({ atMs: this.nowMs, kind });
  }

  /** NaN is a gap. */
  note(name: string, value: number): void {
    const points = this.#series.get(name) ?? [];
    this.#series.set(name, points);
    points.push({ atMs: this.nowMs, value });
  }

  series(name: string): readonly SeriesPoint[] {
    return this.#series.get(name) ?? [];
  }

  last(name: string): number {
    return this.series(name).at(-1)?.value ?? Number.NaN;
  }
}
