/**
 * The provider of a soak run: the ModelArk double in our own process. It counts what it was made to
 * start, loses some answers, and forgets what ended long ago, so that it stays as fast as it began.
 */
import { randomFrom } from '../../../renderer/random.ts';
import { elapsedMs, every } from '../../../server/clock.ts';
import type { DoubleCallback } from '../../kit/modelark/callbacks.ts';
import { type Fault, ModelArkDouble, type Operation } from '../../kit/modelark/double.ts';
import type { DoubleTask } from '../../kit/modelark/tasks.ts';
import { planOf } from './schedule.ts';

export type SoakProvider = {
  readonly double: ModelArkDouble;
  /** How many generations were started for a task, by its number. */
  generationsOf(taskNumber: number): number;
  /**
   * How the last of them ended: `succeeded`, `failed`, `cancelled`; or `erased`, when a cancel came
   * after the success: the upstream's way to stop a task deletes one that has ended.
   */
  endOf(taskNumber: number): string | undefined;
  /** Before `endOf` is asked: looks what is missing by now. */
  noteErased(): void;
  doubledReferences(): readonly string[];
  close(): Promise<void>;
};

const moveMs = 100;
/** A callback is lost when the process it goes to is dead: it comes again after so long, once. */
const callAgainMs = 5000;
/** Long after the service has collected what it wanted, also when its database was away. */
const keptMs = 8 * 60_000;
/** All at once: a look-up begins anew when tasks leave the list while it is being read. */
const forgetMs = 60_000;
const percentLost = { done: 2, notDone: 2 };

/** Before it ends it runs for so long, and cannot be stopped any more. */
const runningMs = 1000;

type Seen = {
  readonly number: number;
  readonly seenMs: number;
  state: 'running' | 'ended' | 'told';
};

export async function startSoakProvider(seed: number): Promise<SoakProvider> {
  const chance = randomFrom(seed + 1);
  const fault = (operation: Operation): Fault | undefined => {
    if (operation !== 'create') return undefined;
    const dice = chance() * 100;
    if (dice >= percentLost.done + percentLost.notDone) return undefined;
    return { work: dice < percentLost.done ? 'done' : 'not-done', answer: 'lose' };
  };
  const double = await ModelArkDouble.start({ fault, listPerSecond: 0, callbackTimeoutMs: 2000 });
  const { move, forget, ...records } = keepRecords(double, seed);
  const mover = every(moveMs, () => {
    for (const task of double.tasks()) move(task);
    double.requests.length = 0;
    (double.callbacks as DoubleCallback[]).length = 0;
  });
  const forgetter = every(forgetMs, forget);
  return {
    double,
    ...records,
    async close() {
      mover.stop();
      forgetter.stop();
      await double.close();
    },
  };
}

function keepRecords(double: ModelArkDouble, seed: number) {
  const seen = new Map<string, Seen>();
  const generations = new Map<number, number>();
  const references = new Map<string, number>();
  const ends = new Map<number, string>();

  function meet(task: DoubleTask): Seen {
    const number = numberOf(task);
    const reference = task.body.safety_identifier ?? 'none';
    generations.set(number, (generations.get(number) ?? 0) + 1);
    references.set(reference, (references.get(reference) ?? 0) + 1);
    const met: Seen = { number, seenMs: elapsedMs(), state: 'running' };
    seen.set(task.id, met);
    return met;
  }

  function move(task: DoubleTask): void {
    const known = seen.get(task.id) ?? meet(task);
    if (known.state === 'told') return;
    const { end, generationMs } = planOf(seed, known.number);
    const endMs = known.seenMs + generationMs;
    if (task.status === 'queued' && elapsedMs() >= endMs - runningMs) task.status = 'running';
    if (known.state === 'running' && elapsedMs() >= endMs) {
      known.state = 'ended';
      // Stopped by its customer; or it was too late for that, and it is made after all.
      if (task.status !== 'cancelled') {
        double.advance(task.id, end === 'failed' ? 'failed' : 'succeeded');
      }
      ends.set(known.number, task.status);
    }
    if (known.state === 'ended' && elapsedMs() >= endMs + callAgainMs) {
      known.state = 'told';
      if (task.status !== 'cancelled') double.call(task.id);
    }
  }

  function noteErased(): void {
    const kept = new Set(double.tasks().map(({ id }) => id));
    for (const [id, { number, state }] of seen) {
      if (state !== 'running' && !kept.has(id)) ends.set(number, 'erased');
    }
  }

  function forget(): void {
    noteErased();
    for (const [id, { seenMs }] of seen) {
      if (elapsedMs() < seenMs + keptMs) return;
      double.vanish(id);
      seen.delete(id);
    }
  }

  return {
    move,
    forget,
    noteErased,
    generationsOf: (taskNumber: number) => generations.get(taskNumber) ?? 0,
    endOf: (taskNumber: number) => ends.get(taskNumber),
    doubledReferences: () => [...references].filter(([, count]) => count > 1).map(([name]) => name),
  };
}

const numberOf = ({ body }: DoubleTask): number =>
  Number(/^Paper boat (\d+)\./.exec(body.content[0]?.text ?? '')?.[1]);
