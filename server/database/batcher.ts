/**
 * Collects items that arrive while a batch runs and runs them together as the next batch. An idle
 * service responds as fast as without batching, a busy one commits many items at once.
 */
import { afterArrivals, startTimer } from '../process/clock.ts';
import { sqlState } from './database.ts';

type BatcherOptions<Item, Outcome> = {
  /** Returns one outcome per item, in their order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
  readonly itemsMax: number;
  readonly inFlightMax: number;
};

type QueuedItem<Item, Outcome> = {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
};

/** How long items wait for others while a batch runs, which may itself wait for a lock. */
const gatherMsMax = 50;

export class Batcher<Item, Outcome> {
  readonly #options: BatcherOptions<Item, Outcome>;
  #queue: QueuedItem<Item, Outcome>[] = [];
  #inFlight = 0;
  #itemsInFlight = 0;
  #scheduled = false;
  #gathering: { stop(): void } | null = null;

  constructor(options: BatcherOptions<Item, Outcome>) {
    this.#options = options;
  }

  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /**
   * The batch starts when everything that has already arrived was read: requests of many
   * connections then share it, which halves the cost of each under load.
   */
  #schedule(): void {
    if (this.#scheduled || this.#inFlight >= this.#options.inFlightMax) return;
    this.#scheduled = true;
    afterArrivals(() => {
      this.#scheduled = false;
      // Two small batches cost more than one large: beside others, one starts when it is as large.
      if (this.#queue.length >= this.#itemsInFlight) this.#start();
      else this.#gather();
    });
  }

  #gather(): void {
    if (this.#queue.length === 0) return;
    this.#gathering ??= startTimer(gatherMsMax, () => this.#start());
  }

  #start(): void {
    this.#gathering?.stop();
    this.#gathering = null;
    if (this.#queue.length === 0 || this.#inFlight >= this.#options.inFlightMax) return;
    const batch = this.#queue.splice(0, this.#options.itemsMax);
    this.#inFlight += 1;
    this.#itemsInFlight += batch.length;
    void this.#run(batch).finally(() => {
      this.#inFlight -= 1;
      this.#itemsInFlight -= batch.length;
      this.#schedule();
    });
    this.#schedule();
  }

  async #run(batch: readonly QueuedItem<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#options.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, at) => {
        resolve(outcomes[at] as Outcome);
      });
    } catch (error) {
      // The database rejected the whole batch and committed nothing, so each item is retried alone:
      // one bad item must not fail the others. Without the database's error (a lost connection) the
      // batch may have committed, and a retry could repeat it.
      if (batch.length > 1 && isRejectedByDatabase(error)) {
        for (const one of batch) await this.#run([one]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}

/**
 * Data and integrity errors (SQLSTATE classes 22 and 23), our own constraints (VG), deadlocks
 * (40P01) and serialization failures (40001).
 */
function isRejectedByDatabase(error: unknown): boolean {
  return /^(22|23|40001|40P01|VG)/.test(sqlState(error) ?? '');
}
