/**
 * Reads task statuses with as few calls as possible. Each read waits for a GET of its own or a
 * LIST of all waiting reads, whichever the throttles allow first: a single read is as fast as a
 * GET, and thousands are read at 500 per second. A task that is missing in a list is read with a
 * GET, because its absence there proves nothing.
 */
import { monotonicMs } from '../../process/clock.ts';
import type { PollTurn } from '../provider.ts';
import type { ReadResult } from '../toolkit/client.ts';
import { asOperation, asRecord } from '../toolkit/response-values.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import type { ModelArkCalls } from './calls.ts';

/** The upstream's maximum. */
const pageSize = 500;
/** A shorter list that is refused was not refused for its length. */
const idsMin = 40;
/** After this many failures in a row, no list is requested for `listPauseMs`. */
const listFailuresMax = 3;
const listPauseMs = 60_000;

type PendingRead = {
  readonly operation: string;
  readonly turn: PollTurn;
  isSent: boolean;
  settle(result: ReadResult): void;
};

export class StatusBatcher {
  readonly #calls: ModelArkCalls;
  #pending: PendingRead[] = [];
  /** Not in the list that was requested for them. */
  #missing: PendingRead[] = [];
  #isGetting = false;
  #isListing = false;
  #idsMax = pageSize;
  #listFailures = 0;
  #pausedUntilMs = 0;

  constructor(calls: ModelArkCalls) {
    this.#calls = calls;
  }

  read(operation: string, turn: PollTurn): Promise<ReadResult> {
    // Without lists the throttle limits reads and returns a delay when too many wait.
    if (this.#isPaused()) return this.#calls.get(operation, turn);
    const { signal, isLast } = turn;
    return new Promise((resolve) => {
      const stop = () =>
        pending.settle(
          pending.isSent
            ? { kind: 'unsent', detail: 'read aborted' }
            : { kind: 'throttled', waitSeconds: 1 },
        );
      const pending: PendingRead = {
        operation,
        turn,
        isSent: false,
        settle: (result) => {
          signal.removeEventListener('abort', stop);
          resolve(result);
        },
      };
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      else if (isLast) this.#pending.unshift(pending);
      else this.#pending.push(pending);
      void this.#get();
      void this.#list();
    });
  }

  #isPaused(): boolean {
    return monotonicMs() < this.#pausedUntilMs;
  }

  /** Reads the oldest waiting task with each GET that the throttle grants. */
  async #get(): Promise<void> {
    if (this.#isGetting) return;
    this.#isGetting = true;
    while (this.#pending.length + this.#missing.length > 0) {
      await this.#calls.throttles.get.acquire({ waitMsMax: Number.POSITIVE_INFINITY });
      const one = take(this.#missing, 1)[0] ?? take(this.#pending, 1)[0];
      if (one) void this.#calls.getUnthrottled(one.operation, one.turn.signal).then(one.settle);
    }
    this.#isGetting = false;
  }

  /** Reads as many waiting tasks as fit with each LIST that the throttle grants. */
  async #list(): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    // Fewer tasks are read by GETs within a second.
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
    const tasks = outcome.kind === 'response' ? tasksIn(outcome) : null;
    if (!tasks) {
      this.#fail(batch, outcome);
      return;
    }
    this.#listFailures = 0;
    for (const one of batch) {
      const json = tasks.get(one.operation);
      if (json) one.settle({ kind: 'response', status: 200, headers: {}, json });
      else this.#missing.push(unsent(one));
    }
    void this.#get();
  }

  /** Requeues a batch, for a shorter list, a retry or, after repeated failures, GETs. */
  #fail(batch: readonly PendingRead[], outcome: UpstreamOutcome): void {
    const status = outcome.kind === 'response' ? outcome.status : 0;
    const isTooLong = [400, 413, 414, 431].includes(status) && batch.length > idsMin;
    // The maximum length of the URL is not documented.
    if (isTooLong) this.#idsMax = Math.min(this.#idsMax, Math.ceil(batch.length / 2));
    else this.#listFailures += 1;
    this.#pending.unshift(...batch.map(unsent));
    if (this.#listFailures >= listFailuresMax) this.#pauseLists();
    void this.#get();
    void this.#list();
  }

  #pauseLists(): void {
    this.#listFailures = 0;
    this.#pausedUntilMs = monotonicMs() + listPauseMs;
    for (const one of this.#pending.splice(0)) {
      void this.#calls.get(one.operation, one.turn).then(one.settle);
    }
  }
}

const unsent = (read: PendingRead): PendingRead => Object.assign(read, { isSent: false });

/** Takes the first reads and drops aborted ones, which are settled already. */
function take(pending: PendingRead[], count: number): PendingRead[] {
  const taken: PendingRead[] = [];
  while (taken.length < count && pending.length > 0) {
    const one = pending.shift()!;
    if (one.turn.signal.aborted) continue;
    one.isSent = true;
    taken.push(one);
  }
  return taken;
}

/** Returns unparsed tasks by id, or null when the response is not a list. */
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
