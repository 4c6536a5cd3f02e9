/** The measurements of a soak run by name and time, and the disturbances meanwhile. */
import { monotonicMs } from '../../../server/process/clock.ts';
import { median } from '../quantile.ts';
import type { SeriesPoint } from './growth.ts';
import type { Disturbance } from './schedule.ts';

export type DisturbanceMark = { readonly atMs: number; readonly kind: Disturbance['kind'] };

export class Measurements {
  readonly marks: DisturbanceMark[] = [];
  #fromMs = monotonicMs();
  readonly #series = new Map<string, SeriesPoint[]>();
  readonly #durations = new Map<string, number[]>();

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
    this.#add(name, { atMs: this.nowMs, value });
  }

  series(name: string): readonly SeriesPoint[] {
    return this.#series.get(name) ?? [];
  }

  last(name: string): number {
    return this.series(name).at(-1)?.value ?? Number.NaN;
  }

  /** Records the duration of one request for the median of its window. */
  took(operation: string, ms: number): void {
    const durations = this.#durations.get(operation) ?? [];
    this.#durations.set(operation, durations);
    durations.push(ms);
  }

  #add(name: string, point: SeriesPoint): void {
    const points = this.#series.get(name) ?? [];
    this.#series.set(name, points);
    points.push(point);
  }

  /** Ends a window: its medians become points such as `create p50`. */
  closeWindow(): void {
    const atMs = this.nowMs;
    for (const [operation, durations] of this.#durations) {
      this.#add(`${operation} p50`, { atMs, value: median(durations) });
      durations.length = 0;
    }
  }
}
