/**
 * Work that arrives while the previous batch is being done is done together, as the next batch. No
 * timer: an idle service answers as fast as without batching, a busy one commits many at once.
 */
import { sqlState } from './database.ts';

export type BatcherOptions<Item, Outcome> = {
  /** Answers one outcome for each item, in the items' order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
  readonly itemsMax: number;
  readonly inFlightMax: number;
};

type QueuedItem<Item, Outcome> = {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
};

export class Batcher<Item, Outcome> {
  readonly #options: BatcherOptions<Item, Outcome>;
  #queue: QueuedItem<Item, Outcome>[] = [];
  #inFlight = 0;
  #scheduled = false;

  constructor(options: BatcherOptions<Item, Outcome>) {
    this.#options = options;
  }

  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** Items that came in the same tick go together, so the batch is cut once the tick is over. */
  #schedule(): void {
    if (this.#scheduled || this.#inFlight >= this.#options.inFlightMax) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.#queue.length === 0) return;
      const batch = this.#queue.splice(0, this.#options.itemsMax);
      this.#inFlight += 1;
      void this.#run(batch).finally(() => {
        this.#inFlight -= 1;
        this.#schedule();
      });
      this.#schedule();
    });
  }

  async #run(batch: readonly QueuedItem<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#options.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, at) => {
        resolve(outcomes[at] as Outcome);
      });
    } catch (error) {
      // The database refused the batch as a whole and nothing was committed: one bad item must not
      // fail its neighbours. Without its word (a lost connection) a second try could do it twice.
      if (batch.length > 1 && isRejectedByDatabase(error)) {
        for (const one of batch) await this.#run([one]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}

/**
 * Data and integrity errors (SQLSTATE classes 22, 23), our own constraints (VG), and a transaction
 * that was undone because two waited for each other (40P01) or met (40001).
 */
function isRejectedByDatabase(error: unknown): boolean {
  return /^(22|23|40001|40P01|VG)/.test(sqlState(error) ?? '');
}
