/**
 * Keeps what this process holds equal to rows that other processes change: they are read again on
 * each notification, and every few seconds in case one was lost.
 */
import { startInterval } from '../process/clock.ts';
import type { Database } from './database.ts';

const refreshMs = 5_000;

export class FollowedRows {
  readonly #read: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(read: () => Promise<void>) {
    this.#read = read;
  }

  /** Reads the database after this call, never a read that is already under way. */
  refresh(): Promise<void> {
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        this.#running = this.#read();
        return this.#running;
      });
    return this.#next;
  }

  /** Returns the function that ends it. */
  async follow(
    db: Database,
    { channel, onError }: { readonly channel: string; readonly onError: (error: Error) => void },
  ): Promise<() => Promise<void>> {
    const refresh = async () => {
      await this.refresh().catch(onError);
    };
    const subscription = await db.listen(channel, () => void refresh());
    const timer = startInterval(refreshMs, refresh);
    // What changed between the first read and the subscription.
    await refresh();
    return async () => {
      timer.stop();
      await subscription.stop();
      await this.#running.catch(() => {});
    };
  }
}
