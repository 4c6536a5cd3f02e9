/**
 * The connections of a process. While the server is away, what wants one waits, for a limited time
 * and up to a limited number.
 */
import type pg from 'pg';
import { monotonicMs, sleep } from '../process/clock.ts';
import { DatabaseUnavailableError, isConnectionLost, sqlState } from './database.ts';

const retryMs = 100;
const leaveMs = 10;

export type WaitLimits = { readonly waitMsMax: number; readonly waitingMax: number };

/** Whether the connection cannot be used again. */
export const isBroken = (error: unknown): boolean =>
  // An error without SQLSTATE did not come from the server, so the connection's state is unknown.
  sqlState(error) === undefined || isConnectionLost(error);

export class DatabaseConnections {
  readonly #open: () => pg.Pool;
  readonly #limits: WaitLimits;
  #pool: pg.Pool;
  #waiting = 0;
  #isClosed = false;

  constructor(open: () => pg.Pool, limits: WaitLimits) {
    this.#open = open;
    this.#limits = limits;
    this.#pool = open();
  }

  /**
   * Runs work on a connection. If the connection is lost, the work is repeated on another one as
   * long as it is repeatable, within the time that it may wait.
   */
  async use<T>(
    work: (client: pg.PoolClient) => Promise<T>,
    { isRepeatable }: { readonly isRepeatable: () => boolean },
  ): Promise<T> {
    const untilMs = monotonicMs() + this.#limits.waitMsMax;
    for (;;) {
      const client = await this.#acquire();
      let isLost = false;
      try {
        return await work(client);
      } catch (error) {
        isLost = isBroken(error);
        const mayRepeat = isConnectionLost(error) && isRepeatable() && monotonicMs() < untilMs;
        if (!mayRepeat) throw error;
      } finally {
        client.release(isLost);
      }
    }
  }

  /** Leaves the server: connections are closed when their work ends, and new ones are opened. */
  async replace(): Promise<void> {
    const left = this.#pool;
    this.#pool = this.#open();
    // A pool that ends forgets those who wait for one of its connections.
    while (left.waitingCount > 0) await sleep(leaveMs);
    await left.end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.end();
  }

  async #acquire(): Promise<pg.PoolClient> {
    const { waitMsMax, waitingMax } = this.#limits;
    if (this.#waiting >= waitingMax) {
      throw new DatabaseUnavailableError(new Error('too many wait for a connection'));
    }
    this.#waiting += 1;
    try {
      for (const untilMs = monotonicMs() + waitMsMax; ; await sleep(retryMs)) {
        try {
          return await this.#pool.connect();
        } catch (error) {
          if (this.#isClosed || !isConnectionLost(error)) throw error;
          if (monotonicMs() + retryMs > untilMs) throw new DatabaseUnavailableError(error as Error);
        }
      }
    } finally {
      this.#waiting -= 1;
    }
  }
}
