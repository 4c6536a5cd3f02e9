/**
 * Who goes next, when several things happen at once in one process: whatever has an effect waits
 * until it is picked, and the next is picked only when nothing moves any more. So an order of
 * effects is a list of picks, and the same picks are the same run.
 */
import { syncBuiltinESMExports } from 'node:module';
import { setImmediate as nextTick } from 'node:timers';
import timers from 'node:timers/promises';
import type { Scheduler } from 'fast-check';
import type { Database } from '../../../server/database/database.ts';

/** Between an answer and what is done about it lie a few rounds of the event loop. */
const idleRounds = 2;

export class StepScheduler {
  readonly #scheduler: Scheduler;
  /** What has been let go and has not come back. */
  #inFlight = 0;
  #onIdle: (() => void) | undefined;
  #hasWritten = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  get waiting(): number {
    return this.#scheduler.count();
  }

  /** Something with an effect: done when it is picked. */
  async schedule<T>(label: string, work: () => Promise<T>): Promise<T> {
    await this.#scheduler.schedule(Promise.resolve(), label);
    return await this.track(work);
  }

  /** Something without one, such as a look: done at once, and waited for before the next pick. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    const leave = this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  enter(): () => void {
    this.#inFlight += 1;
    return () => {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#onIdle?.();
    };
  }

  /** Lets so many go, one after the other, as long as any wait; answers how many went. */
  async pick(count: number, afterWrite: () => Promise<void>): Promise<number> {
    await this.#waitUntilIdle();
    let picked = 0;
    for (; picked < count && this.waiting > 0; picked++) {
      this.#hasWritten = false;
      await this.#scheduler.waitNext(1);
      await this.#waitUntilIdle();
      if (this.#hasWritten) await afterWrite();
    }
    return picked;
  }

  /** What is picked writes to the database. */
  async scheduleWrite<T>(label: string, work: () => Promise<T>): Promise<T> {
    return await this.schedule(label, async () => {
      this.#hasWritten = true;
      return await work();
    });
  }

  async #waitUntilIdle(): Promise<void> {
    for (let rounds = 0; rounds < idleRounds; ) {
      if (this.#inFlight > 0) {
        await new Promise<void>((resolve) => {
          this.#onIdle = resolve;
        });
        rounds = 0;
      }
      await new Promise<void>((resolve) => void nextTick(resolve));
      rounds = this.#inFlight > 0 ? 0 : rounds + 1;
    }
  }
}

/** Looks are made at once; a statement or a transaction that writes takes its turn. */
export function withScheduledWrites(db: Database, steps: StepScheduler): Database {
  return {
    engine: db.engine,
    query: (text, values) =>
      isRead(text)
        ? steps.track(() => db.query(text, values))
        : steps.scheduleWrite(statementLabel(text), () => db.query(text, values)),
    transaction: (work) => steps.scheduleWrite('transaction', () => db.transaction(work)),
    listen: (channel, onNotification) => db.listen(channel, onNotification),
    close: async () => {},
  };
}

const isRead = (text: string): boolean => /^\s*select\b/i.test(text);
const statementLabel = (text: string): string => text.trim().split(/\s+/, 3).join(' ');

/**
 * Waiting takes a turn and no time while `work` runs. `clock.ts` waits by a name of
 * `node:timers/promises`, which is bound anew here; nothing else in this process waits by it.
 */
export async function withoutWaiting<T>(steps: StepScheduler, work: () => Promise<T>): Promise<T> {
  const { setTimeout: realSetTimeout } = timers;
  timers.setTimeout = ((_ms: number, value: unknown) =>
    steps.schedule('waits', async () => value)) as typeof realSetTimeout;
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    timers.setTimeout = realSetTimeout;
    syncBuiltinESMExports();
  }
}
