/**
 * Looks at tasks with as few calls as can be: a look waits for whichever turn comes first, a GET of
 * its own or a LIST of all that wait. So one look is as quick as a GET, and thousands that are due
 * together are read 500 a second. What a list does not name is looked at singly: that it is missing
 * there proves nothing.
 */
import { elapsedMs } from '../../clock.ts';
import { asOperation, asRecord } from '../toolkit/answer-values.ts';
import type { Reading } from '../toolkit/reads.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import type { ModelArkCalls } from './calls.ts';

export type Look = (operation: string, signal: AbortSignal) => Promise<Reading>;

/** The upstream's own maximum for a page. */
const pageSize = 500;
/** A list of fewer than this is refused for another reason than its length. */
const idsMin = 40;
/** A list may be refused for a moment; after so many in a row it is left alone for a while. */
const troublesMax = 3;
const restMs = 60_000;

type Waiting = {
  readonly operation: string;
  readonly signal: AbortSignal;
  answer(reading: Reading): void;
};

export function createLooks(calls: ModelArkCalls): Look {
  const looks = new Looks(calls);
  return (operation, signal) => looks.look(operation, signal);
}

class Looks {
  readonly #calls: ModelArkCalls;
  #waiting: Waiting[] = [];
  /** Not in the list that should have held them. */
  #unnamed: Waiting[] = [];
  #isGetting = false;
  #isListing = false;
  #idsMax = pageSize;
  #troubles = 0;
  #restsUntilMs = 0;

  constructor(calls: ModelArkCalls) {
    this.#calls = calls;
  }

  look(operation: string, signal: AbortSignal): Promise<Reading> {
    // Without a list only so many can be read: whoever would wait too long is told when to come.
    if (this.#rests()) return this.#calls.get(operation, signal);
    return new Promise((resolve) => {
      const stop = () => waiting.answer({ kind: 'unsent', detail: 'no longer wanted' });
      const waiting: Waiting = {
        operation,
        signal,
        answer: (reading) => {
          signal.removeEventListener('abort', stop);
          resolve(reading);
        },
      };
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      else this.#waiting.push(waiting);
      void this.#get();
      void this.#list();
    });
  }

  #rests(): boolean {
    return elapsedMs() < this.#restsUntilMs;
  }

  /** One who waits for each turn, the one who came first. */
  async #get(): Promise<void> {
    if (this.#isGetting) return;
    this.#isGetting = true;
    while (this.#waiting.length + this.#unnamed.length > 0) {
      await this.#calls.turns.get.turn({ waitMsMax: Number.POSITIVE_INFINITY });
      const one = take(this.#unnamed, 1)[0] ?? take(this.#waiting, 1)[0];
      if (one) void this.#calls.getInTurn(one.operation, one.signal).then(one.answer);
    }
    this.#isGetting = false;
  }

  /** All who wait for each turn, as far as they fit into one call. */
  async #list(): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    // A few have their GETs within a second.
    while (this.#waiting.length > this.#calls.getPerSecond && !this.#rests()) {
      await this.#calls.turns.list.turn({ waitMsMax: Number.POSITIVE_INFINITY });
      const those = take(this.#waiting, this.#idsMax);
      if (those.length === 0) break;
      const query = new URLSearchParams({ page_num: '1', page_size: `${pageSize}` });
      for (const { operation } of those) query.append('filter.task_ids', operation);
      void this.#calls.listInTurn(query).then((outcome) => this.#hear(those, outcome));
    }
    this.#isListing = false;
  }

  #hear(those: readonly Waiting[], outcome: UpstreamOutcome): void {
    const tasks = outcome.kind === 'answered' ? tasksIn(outcome) : null;
    if (!tasks) {
      this.#fail(those, outcome);
      return;
    }
    this.#troubles = 0;
    for (const one of those) {
      const json = tasks.get(one.operation);
      if (json) one.answer({ kind: 'answered', status: 200, headers: {}, json });
      else this.#unnamed.push(one);
    }
    void this.#get();
  }

  /** They wait on, for a shorter list or another try; when none comes to anything, for GETs. */
  #fail(those: readonly Waiting[], outcome: UpstreamOutcome): void {
    const status = outcome.kind === 'answered' ? outcome.status : 0;
    const isTooLong = [400, 413, 414, 431].includes(status) && those.length > idsMin;
    // How many ids an address may hold is documented nowhere.
    if (isTooLong) this.#idsMax = Math.min(this.#idsMax, Math.ceil(those.length / 2));
    else this.#troubles += 1;
    this.#waiting.unshift(...those);
    if (this.#troubles >= troublesMax) this.#giveUpLists();
    void this.#get();
    void this.#list();
  }

  #giveUpLists(): void {
    this.#troubles = 0;
    this.#restsUntilMs = elapsedMs() + restMs;
    for (const one of this.#waiting.splice(0)) {
      void this.#calls.get(one.operation, one.signal).then(one.answer);
    }
  }
}

/** The first ones; those who no longer want to know are dropped, their answer was given. */
function take(waiting: Waiting[], count: number): Waiting[] {
  const taken: Waiting[] = [];
  while (taken.length < count && waiting.length > 0) {
    const one = waiting.shift()!;
    if (!one.signal.aborted) taken.push(one);
  }
  return taken;
}

/** By id; null when the answer is no list. Whether each is readable is for its look to say. */
function tasksIn({ status, json }: { status: number; json: unknown }): Map<string, object> | null {
  const items = status === 200 ? asRecord(json)?.items : undefined;
  if (!Array.isArray(items)) return null;
  const found = new Map<string, object>();
  for (const item of items) {
    const task = asRecord(item);
    const id = asOperation(task?.id);
    if (task && id) found.set(id, task);
  }
  return found;
}
