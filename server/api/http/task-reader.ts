/**
 * Reads tasks for status queries. Concurrent queries are batched into one statement, and a client
 * that waits is woken by the commit that changes its task, in any process.
 */
import type { WaitEnd } from '@vidgen/contract/list-tasks.ts';
import { Batcher } from '../../database/batcher.ts';
import type { Database } from '../../database/database.ts';
import { linkSignals, sleep, startDeadline } from '../../process/clock.ts';
import { findTaskStates, findTasks, taskChannel } from '../../tasks/store.ts';
import { isFinal, type Task, type TaskState } from '../../tasks/task.ts';
import { isTaskId } from '../../tasks/task-id.ts';

const batchItemsMax = 1000;
/** A notification can be lost while the listener reconnects, so waiting clients also poll. */
const recheckMs = 2000;
/** How many tasks are kept as they were last read. */
const knownMax = 2000;

export class TaskReader {
  readonly #tasks: Batcher<string, Task | null>;
  readonly #states: Batcher<string, TaskState | null>;
  readonly #waiters = new Map<string, Set<AbortController>>();
  readonly #known = new Map<string, Task>();
  #listening: { stop(): Promise<void> } | undefined;

  constructor(db: Database) {
    const limits = { itemsMax: batchItemsMax, inFlightMax: 2 };
    this.#tasks = new Batcher({ run: (ids) => findTasks(db, ids), ...limits });
    this.#states = new Batcher({ run: (ids) => findTaskStates(db, ids), ...limits });
  }

  get waitingCount(): number {
    return [...this.#waiters.values()].reduce((sum, waiters) => sum + waiters.size, 0);
  }

  /** Returns null for unknown and for malformed ids. */
  async find(id: string): Promise<Task | null> {
    return isTaskId(id) ? await this.#tasks.add(id) : null;
  }

  async findState(id: string): Promise<TaskState | null> {
    return isTaskId(id) ? await this.#states.add(id) : null;
  }

  /** Keeps the task for `lastKnown`, and returns it. */
  remember(task: Task): Task {
    this.#known.delete(task.id);
    this.#known.set(task.id, task);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > knownMax) this.#known.delete(oldest);
    return task;
  }

  /** The task as it was when it was last remembered; null if it was not, or long ago. */
  lastKnown(id: string): Task | null {
    return this.#known.get(id) ?? null;
  }

  /**
   * Returns the task when its status differs from `task.status`, or with `until: 'final'` when it
   * is final; or as it is after `waitMs` or when the signal is aborted. Returns null if it was
   * deleted meanwhile. `recheck` runs every two seconds and may end the wait by an error.
   */
  async waitForChange(
    task: TaskState,
    options: {
      readonly waitMs: number;
      readonly until?: WaitEnd;
      readonly signal: AbortSignal;
      readonly recheck?: () => Promise<void>;
    },
  ): Promise<TaskState | null> {
    if (isFinal(task)) return task;
    const { waitMs, until = 'change', signal, recheck } = options;
    const isReached = (current: TaskState) =>
      until === 'final' ? isFinal(current) : current.status !== task.status;
    using deadline = startDeadline(waitMs, [signal]);
    for (;;) {
      // Subscribes before the read: a change between the two would be missed.
      using change = this.#subscribe(task.id);
      const current = await this.findState(task.id);
      if (!current || isReached(current) || deadline.signal.aborted) return current;
      using wake = linkSignals([change.changeSignal, deadline.signal]);
      await sleep(recheckMs, wake.signal);
      await recheck?.();
    }
  }

  async listen(db: Database): Promise<void> {
    this.#listening = await db.listen(taskChannel, (id) => {
      for (const waiter of this.#waiters.get(id) ?? []) waiter.abort();
      // A final task changes only when it is deleted.
      const known = this.#known.get(id);
      if (known && isFinal(known)) this.#known.delete(id);
    });
  }

  async close(): Promise<void> {
    await this.#listening?.stop();
  }

  #subscribe(id: string): Disposable & { readonly changeSignal: AbortSignal } {
    const waiter = new AbortController();
    const waiters = this.#waiters.get(id) ?? new Set();
    this.#waiters.set(id, waiters.add(waiter));
    return {
      changeSignal: waiter.signal,
      [Symbol.dispose]: () => {
        waiters.delete(waiter);
        if (waiters.size === 0) this.#waiters.delete(id);
      },
    };
  }
}
