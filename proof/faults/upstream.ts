/**
 * The provider of a fault run: the ModelArk double in our own process, which outlives every kill
 * and counts what it was made to start. Generations end after a moment, one in eight badly; some
 * answers are lost on the way, before or after they took effect.
 */
import { every } from '../../server/clock.ts';
import { type Fault, ModelArkDouble, type Operation } from '../kit/modelark/double.ts';
import type { DoubleTask } from '../kit/modelark/tasks.ts';

export type UpstreamOptions = {
  /** Asked about a task's number: whether the service is done with it, so nobody calls it again. */
  readonly isOver: (taskNumber: number) => boolean;
  /** Of a hundred submits: done, but the answer lost; and lost before anything was done. */
  readonly percentLost?: { readonly done: number; readonly notDone: number };
};

export type Upstream = {
  readonly double: ModelArkDouble;
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
const movesBetweenCalls = 10;

export const promptOf = (taskNumber: number): string =>
  `Paper boat ${taskNumber}. It drifts on a quiet lake`;
/** What begins so is moved by whoever made it, and by nobody else. */
export const unhurried = 'A lighthouse that nobody hurries';
/** So that refunds are part of every run. */
export const isMeantToFail = (taskNumber: number): boolean => taskNumber % 8 === 0;

export async function startUpstream({ isOver, percentLost }: UpstreamOptions): Promise<Upstream> {
  const { done, notDone } = percentLost ?? { done: 3, notDone: 2 };
  const fault = (operation: Operation): Fault | undefined => {
    const dice = Math.random() * 100;
    if (operation !== 'create' || dice >= done + notDone) return undefined;
    return { work: dice < done ? 'done' : 'not-done', answer: 'lose' };
  };
  const double = await ModelArkDouble.start({ fault, listPerSecond: 0, callbackTimeoutMs: 2000 });
  const ended = new Set<DoubleTask>();
  let known = 0;
  let moves = 0;
  let isMoving = true;
  const mover = every(moveMs, () => {
    if (!isMoving) return;
    const fresh = double.tasks().slice(known);
    known += fresh.length;
    for (const task of fresh) {
      if (textOf(task).startsWith(unhurried)) continue;
      ended.add(task);
      double.advance(task.id, isMeantToFail(numberOf(task)) ? 'failed' : 'succeeded');
    }
    if (++moves % movesBetweenCalls > 0) return;
    for (const task of ended) {
      if (isOver(numberOf(task))) ended.delete(task);
      else double.call(task.id);
    }
  });
  return {
    double,
    generations: () => countBy(double.tasks(), numberOf),
    doubledReferences: () =>
      [...countBy(double.tasks(), ({ body }) => body.safety_identifier ?? 'none')]
        .filter(([, count]) => count > 1)
        .map(([reference]) => reference),
    move: (moving) => {
      isMoving = moving === 'go';
    },
    async close() {
      mover.stop();
      await double.close();
    },
  };
}

const textOf = ({ body }: DoubleTask): string => body.content[0]?.text ?? '';
const numberOf = (task: DoubleTask): number =>
  Number(/^Paper boat (\d+)\./.exec(textOf(task))?.[1]);

function countBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
