/**
 * Orders concurrent work in one process: every effect waits until it is picked, and the next one is
 * picked only when nothing runs. The same picks repeat the same run.
 */
import { syncBuiltinESMExports } from 'node:module';
import { setImmediate as nextTick } from 'node:timers';
import timers from 'node:timers/promises';
import type { Scheduler } from 'fast-check';
import {
  type Database,
  type PreparedStatement,
  type Row,
  sqlText,
} from '../../../server/database/database.ts';

/** Rounds of the event loop between a result and the code that uses it. */
const idleRounds = 2;

export class StepScheduler {
  readonly #scheduler: Scheduler;
  /** Work that was picked and has not finished. */
  #inFlight = 0;
  #onIdle: (() => void) | undefined;
  #hasWritten = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  get waiting(): number {
    return this.#scheduler.count();
  }

  /** Runs work with an effect when it is picked. */
  async schedule<T>(label: string, work: () => Promise<T>): Promise<T> {
    await this.#scheduler.schedule(Promise.resolve(), label);
    return await this.track(work);
  }

  /** Runs work without an effect, such as a read, at once; the next pick waits for it. */
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

  /** Runs up to `count` waiting steps. */
  async pick(count: number, afterWrite: () => Promise<void>): Promise<void> {
    await this.#waitUntilIdle();
    for (let picked = 0; picked < count && this.waiting > 0; picked++) {
      this.#hasWritten = false;
      await this.#scheduler.waitNext(1);
      await this.#waitUntilIdle();
      if (this.#hasWritten) await afterWrite();
    }
  }

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

/** Runs reads at once; writes and transactions wait for their step. */
export function withScheduledWrites(db: Database, steps: StepScheduler): Database {
  return {
    query<R extends Row>(statement: string | PreparedStatement, values?: readonly unknown[]) {
      const run = () => db.query<R>(statement, values);
      const text = sqlText(statement);
      return isRead(text) ? steps.track(run) : steps.scheduleWrite(statementLabel(text), run);
    },
    transaction: (work) => steps.scheduleWrite('transaction', () => db.transaction(work)),
    listen: (channel, onNotification) => db.listen(channel, onNotification),
    runAlone: (statement) => db.runAlone(statement),
    close: async () => {},
  };
}

const isRead = (text: string): boolean => /^\s*select\b/i.test(text);
const statementLabel = (text: string): string => text.trim().split(/\s+/, 3).join(' ');

/**
 * Makes waits take a step instead of time while `work` runs: replaces the `setTimeout` of
 * `node:timers/promises`, which only `clock.ts` uses here.
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
