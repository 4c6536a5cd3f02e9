/**
 * The provider of a soak run: the ModelArk double in our own process. It counts what it was made to
 * start, loses some answers, and forgets what ended long ago, so that it stays as fast as it began.
 */
import { randomFrom } from '../../../renderer/random.ts';
import { monotonicMs, startInterval } from '../../../server/clock.ts';
import type { FakeCallback } from '../../kit/modelark/callbacks.ts';
import {
  FakeModelArk,
  type ModelArkFault,
  type ModelArkOperation,
} from '../../kit/modelark/fake.ts';
import type { FakeTask } from '../../kit/modelark/tasks.ts';
import { planOf } from './schedule.ts';

export type SoakProvider = {
  readonly fake: FakeModelArk;
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
const repeatCallbackMs = 5000;
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
  const random = randomFrom(seed + 1);
  const fault = (operation: ModelArkOperation): ModelArkFault | undefined => {
    if (operation !== 'create') return undefined;
    const dice = random() * 100;
    if (dice >= percentLost.done + percentLost.notDone) return undefined;
    return { work: dice < percentLost.done ? 'done' : 'not-done', response: 'lose' };
  };
  const fake = await FakeModelArk.start({ fault, listPerSecond: 0, callbackTimeoutMs: 2000 });
  const { move, forget, ...records } = keepRecords(fake, seed);
  const mover = startInterval(moveMs, () => {
    for (const task of fake.tasks()) move(task);
    fake.requests.length = 0;
    (fake.callbacks as FakeCallback[]).length = 0;
  });
  const forgetter = startInterval(forgetMs, forget);
  return {
    fake,
    ...records,
    async close() {
      mover.stop();
      forgetter.stop();
      await fake.close();
    },
  };
}

function keepRecords(fake: FakeModelArk, seed: number) {
  const seen = new Map<string, Seen>();
  const generations = new Map<number, number>();
  const references = new Map<string, number>();
  const ends = new Map<number, string>();

  function registerTask(task: FakeTask): Seen {
    const number = numberOf(task);
    const reference = task.body.safety_identifier ?? 'none';
    generations.set(number, (generations.get(number) ?? 0) + 1);
    references.set(reference, (references.get(reference) ?? 0) + 1);
    const registered: Seen = { number, seenMs: monotonicMs(), state: 'running' };
    seen.set(task.id, registered);
    return registered;
  }

  function move(task: FakeTask): void {
    const known = seen.get(task.id) ?? registerTask(task);
    if (known.state === 'told') return;
    const { end, generationMs } = planOf(seed, known.number);
    const endMs = known.seenMs + generationMs;
    if (task.status === 'queued' && monotonicMs() >= endMs - runningMs) task.status = 'running';
    if (known.state === 'running' && monotonicMs() >= endMs) {
      known.state = 'ended';
      // Stopped by its customer; or it was too late for that, and it is made after all.
      if (task.status !== 'cancelled') {
        fake.advance(task.id, end === 'failed' ? 'failed' : 'succeeded');
      }
      ends.set(known.number, task.status);
    }
    if (known.state === 'ended' && monotonicMs() >= endMs + repeatCallbackMs) {
      known.state = 'told';
      if (task.status !== 'cancelled') fake.sendCallback(task.id);
    }
  }

  function noteErased(): void {
    const remaining = new Set(fake.tasks().map(({ id }) => id));
    for (const [id, { number, state }] of seen) {
      if (state !== 'running' && !remaining.has(id)) ends.set(number, 'erased');
    }
  }

  function forget(): void {
    noteErased();
    for (const [id, { seenMs }] of seen) {
      if (monotonicMs() < seenMs + keptMs) return;
      fake.vanish(id);
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

const numberOf = ({ body }: FakeTask): number =>
  Number(/^Paper boat (\d+)\./.exec(body.content[0]?.text ?? '')?.[1]);
