/**
 * The provider of a fault run: the ModelArk double in our own process, which outlives every kill
 * and counts what it was made to start. Generations end after a moment, one in eight badly; some
 * answers are lost on the way, before or after they took effect.
 */
import { startInterval } from '../../server/clock.ts';
import { FakeModelArk, type ModelArkFault, type ModelArkOperation } from '../kit/modelark/fake.ts';
import type { FakeTask } from '../kit/modelark/tasks.ts';

export type UpstreamOptions = {
  /** Asked about a task's number: whether the service is done with it, so nobody calls it again. */
  readonly isDone: (taskNumber: number) => boolean;
  /** Of a hundred submits: done, but the answer lost; and lost before anything was done. */
  readonly percentLost?: { readonly done: number; readonly notDone: number };
};

export type Upstream = {
  readonly fake: FakeModelArk;
  /** How many generations were started for each task, by its number. */
  generations(): ReadonlyMap<number, number>;
  /** References that were generated more than once. */
  doubledReferences(): readonly string[];
  /** From now on generations stay as they are, or go on. */
  move(moving: 'stop' | 'go'): void;
  close(): Promise<void>;
};

const moveMs = 100;
/** A callback is lost when the process it goes to is dead: one in so many moves repeats it. */
const movesBetweenCallbacks = 10;

export const promptOf = (taskNumber: number): string =>
  `Paper boat ${taskNumber}. It drifts on a quiet lake`;
/** What begins so is moved by whoever made it, and by nobody else. */
export const manualPrompt = 'A lighthouse that nobody hurries';
/** So that refunds are part of every run. */
export const shouldFail = (taskNumber: number): boolean => taskNumber % 8 === 0;

export async function startUpstream({ isDone, percentLost }: UpstreamOptions): Promise<Upstream> {
  const { done, notDone } = percentLost ?? { done: 3, notDone: 2 };
  const fault = (operation: ModelArkOperation): ModelArkFault | undefined => {
    const dice = Math.random() * 100;
    if (operation !== 'create' || dice >= done + notDone) return undefined;
    return { work: dice < done ? 'done' : 'not-done', response: 'lose' };
  };
  const fake = await FakeModelArk.start({ fault, listPerSecond: 0, callbackTimeoutMs: 2000 });
  const ended = new Set<FakeTask>();
  let known = 0;
  let moves = 0;
  let isMoving = true;
  const mover = startInterval(moveMs, () => {
    if (!isMoving) return;
    const newTasks = fake.tasks().slice(known);
    known += newTasks.length;
    for (const task of newTasks) {
      if (textOf(task).startsWith(manualPrompt)) continue;
      ended.add(task);
      fake.advance(task.id, shouldFail(numberOf(task)) ? 'failed' : 'succeeded');
    }
    if (++moves % movesBetweenCallbacks > 0) return;
    for (const task of ended) {
      if (isDone(numberOf(task))) ended.delete(task);
      else fake.sendCallback(task.id);
    }
  });
  return {
    fake,
    generations: () => countBy(fake.tasks(), numberOf),
    doubledReferences: () =>
      [...countBy(fake.tasks(), ({ body }) => body.safety_identifier ?? 'none')]
        .filter(([, count]) => count > 1)
        .map(([reference]) => reference),
    move: (moving) => {
      isMoving = moving === 'go';
    },
    async close() {
      mover.stop();
      await fake.close();
    },
  };
}

const textOf = ({ body }: FakeTask): string => body.content[0]?.text ?? '';
const numberOf = (task: FakeTask): number => Number(/^Paper boat (\d+)\./.exec(textOf(task))?.[1]);

function countBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
