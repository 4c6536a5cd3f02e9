/**
 * Reads many operations with few calls, at an upstream that lists all of an account's, newest
 * first. Some are read one by one; while many are, the others wait for the pages of a list. The
 * adapter says which entries are as good as a response of their own: a list may leave out fields of
 * a finished operation, and absence proves nothing.
 */
import type { PollTurn } from '../provider.ts';
import type { ReadResult } from './client.ts';

export type ListPage = {
  /** The entries that need no read of their own, by operation. */
  readonly whole: ReadonlyMap<string, ReadResult>;
  /** Of the next page; undefined after the last. */
  readonly cursor: string | undefined;
};

type ListedReadsOptions = {
  readonly get: (operation: string, turn: PollTurn) => Promise<ReadResult>;
  /** Returns null if the page cannot be read. */
  readonly readPage: (cursor: string | undefined) => Promise<ListPage | null>;
};

type WaitingRead = {
  readonly operation: string;
  readonly turn: PollTurn;
  readonly settle: (result: ReadResult) => void;
};

/** Reads under way from which on the others wait for a list. */
const readsAtOnceMax = 20;
/** Pages of 100. What is not on them is read one by one. */
const pagesMax = 30;

export class ListedReads {
  readonly #options: ListedReadsOptions;
  #waiting: WaitingRead[] = [];
  #readsAtOnce = 0;
  #isListing = false;

  constructor(options: ListedReadsOptions) {
    this.#options = options;
  }

  async read(operation: string, turn: PollTurn): Promise<ReadResult> {
    if (this.#readsAtOnce < readsAtOnceMax || turn.isLast) return await this.#get(operation, turn);
    return await new Promise((settle) => {
      this.#waiting.push({ operation, turn, settle });
      void this.#list();
    });
  }

  async #get(operation: string, turn: PollTurn): Promise<ReadResult> {
    this.#readsAtOnce += 1;
    return await this.#options.get(operation, turn).finally(() => {
      this.#readsAtOnce -= 1;
    });
  }

  async #list(): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    while (this.#waiting.length > 0) {
      let wanted = this.#waiting;
      this.#waiting = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < pagesMax && wanted.length > 0; pages++) {
        const page = await this.#options.readPage(cursor).catch(() => null);
        wanted = wanted.filter(({ operation, turn, settle }) => {
          const response = page?.whole.get(operation);
          if (response) settle(response);
          else if (turn.signal.aborted) settle({ kind: 'throttled', waitSeconds: 1 });
          else return true;
          return false;
        });
        cursor = page?.cursor;
        if (cursor === undefined) break;
      }
      // Its throttle orders them, and delays those that would wait too long.
      for (const { operation, turn, settle } of wanted)
        void this.#get(operation, turn).then(settle);
    }
    this.#isListing = false;
  }
}
