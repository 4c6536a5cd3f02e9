/** What a soak run has measured, by name and moment, and what was done to the service meanwhile. */
import { monotonicMs } from '../../../server/clock.ts';
import { quantile } from '../quantile.ts';
import type { Point } from './growth.ts';
import type { Disturbance } from './schedule.ts';

export type Mark = { readonly atMs: number; readonly kind: Disturbance['kind'] };

export class Measurements {
  readonly marks: Mark[] = [];
  #fromMs = monotonicMs();
  readonly #series = new Map<string, Point[]>();
  readonly #durations = new Map<string, number[]>();

  /** The work begins now. */
  begin(): void {
    this.#fromMs = monotonicMs();
  }

  /** Since the beginning. */
  get nowMs(): number {
    return monotonicMs() - this.#fromMs;
  }

  mark(kind: Mark['kind']): void {
    this.marks.push({ atMs: this.nowMs, kind });
  }

  /** A value that is no number is a gap in the line. */
  note(name: string, value: number): void {
    this.#add(name, { atMs: this.nowMs, value });
  }

  series(name: string): readonly Point[] {
    return this.#series.get(name) ?? [];
  }

  last(name: string): number {
    return this.series(name).at(-1)?.value ?? Number.NaN;
  }

  /** How long one request took, for the quantiles of its window. */
  took(operation: string, ms: number): void {
    const durations = this.#durations.get(operation) ?? [];
    this.#durations.set(operation, durations);
    durations.push(ms);
  }

  #add(name: string, point: Point): void {
    const points = this.#series.get(name) ?? [];
    this.#series.set(name, points);
    points.push(point);
  }

  /** Ends a window: its quantiles become points, as `create p95`. */
  closeWindow(): void {
    const atMs = this.nowMs;
    for (const [operation, durations] of this.#durations) {
      for (const percent of [50, 95, 99]) {
        const value = quantile(durations, percent / 100);
        this.#add(`${operation} p${percent}`, { atMs, value });
      }
      durations.length = 0;
    }
  }
}
