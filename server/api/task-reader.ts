/**
 * Tasks as status queries read them: queries that arrive together are one statement, and a client
 * that asked to wait is woken by the commit that changes its task, in whichever process that
 * happens.
 */
import { sleep } from '../clock.ts';
import { Batcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import { taskChannel } from '../lifecycle/context.ts';
import { findTasks } from '../tasks/rows.ts';
import { isFinal, type Task } from '../tasks/task.ts';
import { isTaskId } from '../tasks/task-id.ts';

const batchItemsMax = 1000;
/** A notification can be missed while the listener reconnects; then this often is enough. */
const lookAgainMs = 2000;

export class TaskReader {
  readonly #batcher: Batcher<string, Task | null>;
  readonly #waiting = new Map<string, Set<AbortController>>();
  #listening: { stop(): Promise<void> } | undefined;

  constructor(db: Database) {
    this.#batcher = new Batcher({
      run: (ids) => findTasks(db, ids),
      itemsMax: batchItemsMax,
      inFlightMax: 2,
    });
  }

  /** Clients that wait at this moment. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, those) => sum + those.size, 0);
  }

  /** Null for an id that is malformed too: both are "no such task". */
  async find(id: string): Promise<Task | null> {
    return isTaskId(id) ? await this.#batcher.add(id) : null;
  }

  /** The task once its status differs from the one given, or as it is when the time is up. */
  async findChanged(task: Task, options: { waitMs: number; gone: AbortSignal }): Promise<Task> {
    if (isFinal(task)) return task;
    const over = new AbortController();
    const { waitMs, gone } = options;
    void sleep(waitMs, AbortSignal.any([gone, over.signal])).then(() => over.abort());
    try {
      for (;;) {
        // Before the look: a change between the two would go unheard.
        using change = this.#enlist(task.id);
        const current = (await this.find(task.id)) ?? task;
        if (current.status !== task.status || over.signal.aborted) return current;
        await sleep(lookAgainMs, AbortSignal.any([change.heard, over.signal]));
      }
    } finally {
      over.abort();
    }
  }

  async listen(db: Database): Promise<void> {
    this.#listening = await db.listen(taskChannel, (id) => {
      for (const waiter of this.#waiting.get(id) ?? []) waiter.abort();
    });
  }

  async close(): Promise<void> {
    await this.#listening?.stop();
  }

  #enlist(id: string): Disposable & { readonly heard: AbortSignal } {
    const waiter = new AbortController();
    const those = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, those.add(waiter));
    return {
      heard: waiter.signal,
      [Symbol.dispose]: () => {
        those.delete(waiter);
        if (those.size === 0) this.#waiting.delete(id);
      },
    };
  }
}
