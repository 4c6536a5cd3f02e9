/**
 * The provider of a fault test: the fake ModelArk in the process of the test, which outlives every
 * kill of the service and counts the generations it started. It finishes generations by itself and
 * loses some responses to submits, before or after they took effect.
 */
import { monotonicMs, startInterval } from '../../server/process/clock.ts';
import type { Fault } from '../kit/fake-upstream.ts';
import { FakeModelArk, type ModelArkOperation } from '../kit/modelark/fake.ts';
import type { FakeTask } from '../kit/modelark/tasks.ts';

/** What the provider does with the task of a number. */
export type GenerationPlan = {
  readonly fails: boolean;
  readonly generationMs: number;
  /** Whether a webhook tells that the service has finished the task. */
  readonly isNotified: boolean;
};

export type UpstreamOptions = {
  readonly apiKey?: string;
  readonly planOf?: (taskNumber: number) => GenerationPlan;
  /** Percent of submits whose response is lost after (`done`) or before they took effect. */
  readonly lostPercent?: { readonly done: number; readonly notDone: number };
  readonly random?: () => number;
};

type Generation = {
  readonly taskNumber: number;
  readonly reference: string;
  readonly startedMs: number;
  state: 'running' | 'ended' | 'reported';
};

export const loseNone = { done: 0, notDone: 0 };

const moveMs = 100;
/** A callback is lost when the receiving process is dead: every tenth move repeats it. */
const movesPerCallback = 10;
/** ModelArk cannot cancel a running task: a generation counts as running for this long. */
const runningMs = 1000;

export const promptOf = (taskNumber: number): string =>
  `Paper boat ${taskNumber}. It drifts on a quiet lake`;
/** Generations whose prompt starts with this end only when the test says so. */
export const manualPrompt = 'A lighthouse that nobody hurries';
/** One task in eight fails, so that refunds are part of every run. */
export const shouldFail = (taskNumber: number): boolean => taskNumber % 8 === 0;

const defaultPlan = (taskNumber: number): GenerationPlan => ({
  fails: shouldFail(taskNumber),
  generationMs: 0,
  isNotified: true,
});

/** A held resource: the fake and the timer that moves its tasks. */
export class Upstream {
  readonly fake: FakeModelArk;
  readonly planOf: (taskNumber: number) => GenerationPlan;
  readonly #isDone: (taskNumber: number) => boolean;
  readonly #generations = new Map<string, Generation>();
  readonly #mover: { stop(): void };
  #moves = 0;
  #isMoving = true;

  private constructor(
    fake: FakeModelArk,
    { planOf = defaultPlan, isDone }: UpstreamOptions & IsDone,
  ) {
    this.fake = fake;
    this.planOf = planOf;
    this.#isDone = isDone;
    this.#mover = startInterval(moveMs, () => this.#move());
  }

  /** `isDone` tells whether the service has finished a task, so that callbacks can end. */
  static async start(options: UpstreamOptions & IsDone): Promise<Upstream> {
    const { lostPercent = { done: 3, notDone: 2 }, random = Math.random, apiKey } = options;
    const { done, notDone } = lostPercent;
    const fault = (operation: ModelArkOperation): Fault | undefined => {
      if (operation !== 'create') return undefined;
      const dice = random() * 100;
      if (dice >= done + notDone) return undefined;
      return { work: dice < done ? 'done' : 'not-done', response: 'lose' };
    };
    const limits = { listPerSecond: 0 };
    const key = apiKey === undefined ? {} : { apiKey };
    return new Upstream(await FakeModelArk.start({ fault, ...limits, ...key }), options);
  }

  generations(): ReadonlyMap<number, number> {
    this.#register();
    return countBy([...this.#generations.values()], ({ taskNumber }) => taskNumber);
  }

  doubledReferences(): readonly string[] {
    this.#register();
    return [...countBy([...this.#generations.values()], ({ reference }) => reference)]
      .filter(([, count]) => count > 1)
      .map(([reference]) => reference);
  }

  /**
   * The status of a task's generation. `erased` when a cancel came after the success: ModelArk
   * deletes a finished task on a cancel.
   */
  endOf(taskNumber: number): string | undefined {
    const [id] = [...this.#generations].findLast(([, one]) => one.taskNumber === taskNumber) ?? [];
    if (id === undefined) return undefined;
    return this.fake.started().find((task) => task.id === id)?.status ?? 'erased';
  }

  move(moving: 'stop' | 'go'): void {
    this.#isMoving = moving === 'go';
  }

  async close(): Promise<void> {
    this.#mover.stop();
    await this.fake.close();
  }

  #register(): void {
    for (const task of this.fake.started()) {
      if (this.#generations.has(task.id)) continue;
      this.#generations.set(task.id, {
        taskNumber: numberOf(task),
        reference: task.clientRequestId,
        startedMs: monotonicMs(),
        state: 'running',
      });
    }
  }

  #move(): void {
    if (!this.#isMoving) return;
    this.#register();
    this.#moves += 1;
    // The records would grow without bound in a run of hours.
    this.fake.requests.length = 0;
    for (const task of this.fake.started()) this.#moveTask(task, this.#generations.get(task.id)!);
  }

  #moveTask(task: FakeTask, generation: Generation): void {
    const { taskNumber, startedMs, state } = generation;
    if (state === 'reported' || promptText(task).startsWith(manualPrompt)) return;
    if (state === 'ended') {
      if (this.#moves % movesPerCallback > 0) return;
      if (this.#isDone(taskNumber)) generation.state = 'reported';
      else this.fake.sendCallback(task.id);
      return;
    }
    const { fails, generationMs, isNotified } = this.planOf(taskNumber);
    const remainingMs = startedMs + generationMs - monotonicMs();
    if (task.status === 'queued' && remainingMs <= runningMs) task.status = 'running';
    if (remainingMs > 0) return;
    const isCancelled = task.status === 'cancelled';
    // Tasks that the test created by other means have no number and get one callback.
    const isRepeated = !isCancelled && isNotified && !Number.isNaN(taskNumber);
    generation.state = isRepeated ? 'ended' : 'reported';
    if (!isCancelled) this.fake.advance(task.id, fails ? 'failed' : 'succeeded');
  }
}

type IsDone = { readonly isDone: (taskNumber: number) => boolean };

export const promptText = ({ body }: FakeTask): string => body.content[0]?.text ?? '';
const numberOf = (task: FakeTask): number =>
  Number(/^Paper boat (\d+)\./.exec(promptText(task))?.[1]);

function countBy<Item, Key>(
  items: readonly Item[],
  groupKey: (item: Item) => Key,
): Map<Key, number> {
  return new Map([...Map.groupBy(items, groupKey)].map(([key, group]) => [key, group.length]));
}
