/**
 * Tasks as status queries read them: queries that arrive together are one statement, and a client
 * that asked to wait is woken by the commit that changes its task, in whichever process that
 * happens.
 */
import { sleep } from '../../clock.ts';
import { Batcher } from '../../database/batcher.ts';
import type { Database } from '../../database/database.ts';
import { taskChannel } from '../../lifecycle/context.ts';
import { findTasks } from '../../tasks/store.ts';
import { isFinal, type Task } from '../../tasks/task.ts';
import { isTaskId } from '../../tasks/task-id.ts';

const batchItemsMax = 1000;
/** A notification can be missed while the listener reconnects; then this often is enough. */
const recheckMs = 2000;

export class TaskReader {
  readonly #batcher: Batcher<string, Task | null>;
  readonly #waiters = new Map<string, Set<AbortController>>();
  #listening: { stop(): Promise<void> } | undefined;

  constructor(db: Database) {
    this.#batcher = new Batcher({
      run: (ids) => findTasks(db, ids),
      itemsMax: batchItemsMax,
      inFlightMax: 2,
    });
  }

  /** Clients that wait at this moment. */
  get waitingCount(): number {
    return [...this.#waiters.values()].reduce((sum, waiters) => sum + waiters.size, 0);
  }

  /** Null for an id that is malformed too: both are "no such task". */
  async find(id: string): Promise<Task | null> {
    return isTaskId(id) ? await this.#batcher.add(id) : null;
  }

  /** The task once its status differs from the one given, or as it is when the time is up. */
  async waitForChange(task: Task, options: { waitMs: number; signal: AbortSignal }): Promise<Task> {
    if (isFinal(task)) return task;
    const deadline = new AbortController();
    const { waitMs, signal } = options;
    void sleep(waitMs, AbortSignal.any([signal, deadline.signal])).then(() => deadline.abort());
    try {
      for (;;) {
        // Before the look: a change between the two would go unheard.
        using change = this.#subscribe(task.id);
        const current = (await this.find(task.id)) ?? task;
        if (current.status !== task.status || deadline.signal.aborted) return current;
        await sleep(recheckMs, AbortSignal.any([change.changeSignal, deadline.signal]));
      }
    } finally {
      deadline.abort();
    }
  }

  async listen(db: Database): Promise<void> {
    this.#listening = await db.listen(taskChannel, (id) => {
      for (const waiter of this.#waiters.get(id) ?? []) waiter.abort();
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
