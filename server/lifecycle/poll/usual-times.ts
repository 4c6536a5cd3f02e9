/**
 * How long generations take, learned from those that this process has lately seen end. It decides
 * when they are polled and nothing else, so a process that has just started only polls more often.
 */
import type { Task } from '../../tasks/task.ts';

/** What a time depends on. */
export type TimedGeneration = {
  readonly provider: string;
  readonly task: Pick<Task, 'generation' | 'pricedSeconds'>;
};

/** Enough for a steady median; few, so that a provider that has become slower is soon noticed. */
const timesMax = 15;
/** More kinds of generations than a catalog has. */
const kindsMax = 2000;

export class UsualTimes {
  /** The newest last, also of the kinds. */
  readonly #times = new Map<string, readonly number[]>();

  /** The median; null if none has ended yet. */
  seconds(kind: TimedGeneration): number | null {
    const times = this.#times.get(kindKey(kind));
    return times?.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? null;
  }

  record(kind: TimedGeneration, seconds: number): void {
    const key = kindKey(kind);
    const times = [...(this.#times.get(key) ?? []), seconds].slice(-timesMax);
    this.#times.delete(key);
    this.#times.set(key, times);
    if (this.#times.size <= kindsMax) return;
    const [oldest] = this.#times.keys();
    this.#times.delete(oldest!);
  }
}

function kindKey({ provider, task: { generation, pricedSeconds } }: TimedGeneration): string {
  const { model, generationType, resolution, duration } = generation;
  return [provider, model, generationType, resolution, pricedSeconds ?? duration].join(' ');
}
