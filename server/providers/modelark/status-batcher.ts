/**
 * Looks at tasks with as few calls as can be: a look waits for whichever turn comes first, a GET of
 * its own or a LIST of all that wait. So one look is as quick as a GET, and thousands that are due
 * together are read 500 a second. What a list does not name is looked at singly: that it is missing
 * there proves nothing.
 */
import { monotonicMs } from '../../clock.ts';
import { asOperation, asRecord } from '../toolkit/response-values.ts';
import type { ReadResult } from '../toolkit/throttled-get.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import type { ModelArkCalls } from './calls.ts';

export type ReadStatus = (operation: string, signal: AbortSignal) => Promise<ReadResult>;

/** The upstream's own maximum for a page. */
const pageSize = 500;
/** A list of fewer than this is refused for another reason than its length. */
const idsMin = 40;
/** A list may be refused for a moment; after so many in a row it is left alone for a while. */
const listFailuresMax = 3;
const listPauseMs = 60_000;

type PendingRead = {
  readonly operation: string;
  readonly signal: AbortSignal;
  settle(result: ReadResult): void;
};

export function createStatusBatcher(calls: ModelArkCalls): ReadStatus {
  const batcher = new StatusBatcher(calls);
  return (operation, signal) => batcher.read(operation, signal);
}

class StatusBatcher {
  readonly #calls: ModelArkCalls;
  #pending: PendingRead[] = [];
  /** Not in the list that should have held them. */
  #missing: PendingRead[] = [];
  #isGetting = false;
  #isListing = false;
  #idsMax = pageSize;
  #listFailures = 0;
  #pausedUntilMs = 0;

  constructor(calls: ModelArkCalls) {
    this.#calls = calls;
  }

  read(operation: string, signal: AbortSignal): Promise<ReadResult> {
    // Without a list only so many can be read: whoever would wait too long is told when to come.
    if (this.#isPaused()) return this.#calls.get(operation, signal);
    return new Promise((resolve) => {
      const stop = () => pending.settle({ kind: 'unsent', detail: 'no longer wanted' });
      const pending: PendingRead = {
        operation,
        signal,
        settle: (result) => {
          signal.removeEventListener('abort', stop);
          resolve(result);
        },
      };
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      else this.#pending.push(pending);
      void this.#get();
      void this.#list();
    });
  }

  #isPaused(): boolean {
    return monotonicMs() < this.#pausedUntilMs;
  }

  /** One who waits for each turn, the one who came first. */
  async #get(): Promise<void> {
    if (this.#isGetting) return;
    this.#isGetting = true;
    while (this.#pending.length + this.#missing.length > 0) {
      await this.#calls.throttles.get.acquire({ waitMsMax: Number.POSITIVE_INFINITY });
      const one = take(this.#missing, 1)[0] ?? take(this.#pending, 1)[0];
      if (one) void this.#calls.getUnthrottled(one.operation, one.signal).then(one.settle);
    }
    this.#isGetting = false;
  }

  /** All who wait for each turn, as far as they fit into one call. */
  async #list(): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    // A few have their GETs within a second.
    while (this.#pending.length > this.#calls.getPerSecond && !this.#isPaused()) {
      await this.#calls.throttles.list.acquire({ waitMsMax: Number.POSITIVE_INFINITY });
      const batch = take(this.#pending, this.#idsMax);
      if (batch.length === 0) break;
      const query = new URLSearchParams({ page_num: '1', page_size: `${pageSize}` });
      for (const { operation } of batch) query.append('filter.task_ids', operation);
      void this.#calls.listUnthrottled(query).then((outcome) => this.#onList(batch, outcome));
    }
    this.#isListing = false;
  }

  #onList(batch: readonly PendingRead[], outcome: UpstreamOutcome): void {
    const tasks = outcome.kind === 'answered' ? tasksIn(outcome) : null;
    if (!tasks) {
      this.#fail(batch, outcome);
      return;
    }
    this.#listFailures = 0;
    for (const one of batch) {
      const json = tasks.get(one.operation);
      if (json) one.settle({ kind: 'answered', status: 200, headers: {}, json });
      else this.#missing.push(one);
    }
    void this.#get();
  }

  /** They wait on, for a shorter list or another try; when none comes to anything, for GETs. */
  #fail(batch: readonly PendingRead[], outcome: UpstreamOutcome): void {
    const status = outcome.kind === 'answered' ? outcome.status : 0;
    const isTooLong = [400, 413, 414, 431].includes(status) && batch.length > idsMin;
    // How many ids an address may hold is documented nowhere.
    if (isTooLong) this.#idsMax = Math.min(this.#idsMax, Math.ceil(batch.length / 2));
    else this.#listFailures += 1;
    this.#pending.unshift(...batch);
    if (this.#listFailures >= listFailuresMax) this.#pauseLists();
    void this.#get();
    void this.#list();
  }

  #pauseLists(): void {
    this.#listFailures = 0;
    this.#pausedUntilMs = monotonicMs() + listPauseMs;
    for (const one of this.#pending.splice(0)) {
      void this.#calls.get(one.operation, one.signal).then(one.settle);
    }
  }
}

/** The first ones; those who no longer want to know are dropped, their answer was given. */
function take(pending: PendingRead[], count: number): PendingRead[] {
  const taken: PendingRead[] = [];
  while (taken.length < count && pending.length > 0) {
    const one = pending.shift()!;
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
