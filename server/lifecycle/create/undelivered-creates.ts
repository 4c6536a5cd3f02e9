/**
 * Creates without an `Idempotency-Key` follow two rules (Decision 0014). A create whose client has
 * disconnected before it is written is not accepted. A create whose connection broke before its
 * response was written is recorded, and the next identical create of the API key gets its task.
 */

import type { Database, Transaction } from '../../database/database.ts';
import { monotonicMs, sleep } from '../../process/clock.ts';
import {
  deleteUndelivered,
  lockUndelivered,
  type RequestRef,
  saveUndelivered,
  type UndeliveredCreate,
} from '../../tasks/undelivered-creates.ts';
import type { Log } from '../../telemetry/log.ts';

type KnownTask = { readonly taskId: string; readonly credits: number };

/** How long a record is tried to be written while the database is down. */
const recordMsMax = 60_000;
const retryMs = 1000;

/** The undelivered creates that a transaction may give to identical ones, each once. */
export class UndeliveredMatches {
  readonly #known: (UndeliveredCreate & KnownTask)[];
  readonly #taken: string[] = [];

  constructor(known: readonly (UndeliveredCreate & KnownTask)[]) {
    this.#known = [...known];
  }

  /** Returns the task of the oldest identical create. */
  take(requestRef: RequestRef | null): KnownTask | null {
    if (!requestRef || this.#known.length === 0) return null;
    const { keyId, requestDigest } = requestRef;
    const at = this.#known.findIndex(
      (one) => one.keyId === keyId && one.requestDigest === requestDigest,
    );
    if (at === -1) return null;
    const { taskId, credits } = this.#known.splice(at, 1)[0]!;
    this.#taken.push(taskId);
    return { taskId, credits };
  }

  /** Deletes the records of the tasks that were taken. */
  async flush(tx: Transaction): Promise<void> {
    await deleteUndelivered(tx, this.#taken);
  }
}

export async function findUndelivered(
  tx: Transaction,
  requestRefs: readonly (RequestRef | null)[],
): Promise<UndeliveredMatches> {
  const keyIds = new Set(requestRefs.flatMap((ref) => ref?.keyId ?? []));
  return new UndeliveredMatches(await lockUndelivered(tx, [...keyIds]));
}

/** Records creates of this process whose connection broke after they were accepted. */
export class UndeliveredCreates {
  readonly #db: Database;
  readonly #log: Log;
  readonly #closing = new AbortController();
  /** Creates of clients that have gone, until they are rejected or recorded, by request. */
  readonly #open = new Map<string, Set<Promise<void>>>();

  constructor(db: Database, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** `accepted` is null if nothing is to be recorded. */
  record(requestRef: RequestRef, accepted: Promise<string | null>): void {
    const name = requestKey(requestRef);
    const open = this.#open.get(name) ?? new Set();
    const recording = this.#record(requestRef, accepted).finally(() => {
      open.delete(recording);
      if (open.size === 0) this.#open.delete(name);
    });
    this.#open.set(name, open.add(recording));
  }

  /** Resolves when the identical creates whose clients have gone by now are recorded. */
  async waitUntilRecorded(requestRef: RequestRef): Promise<void> {
    if (this.#open.size > 0) await Promise.all(this.#open.get(requestKey(requestRef)) ?? []);
  }

  /** Takes the task of an identical create, in a transaction of its own. */
  async take(requestRef: RequestRef): Promise<KnownTask | null> {
    await this.waitUntilRecorded(requestRef);
    return await this.#db.transaction(async (tx) => {
      const undelivered = await findUndelivered(tx, [requestRef]);
      const task = undelivered.take(requestRef);
      await undelivered.flush(tx);
      return task;
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#open.values()].flatMap((open) => [...open]));
  }

  async #record({ keyId, requestDigest }: RequestRef, accepted: Promise<string | null>) {
    const taskId = await accepted.catch(() => null);
    if (taskId === null) return;
    const untilMs = monotonicMs() + recordMsMax;
    for (;;) {
      try {
        await saveUndelivered(this.#db, [{ taskId, keyId, requestDigest }]);
        return this.#log.info({ taskId }, 'response with task not delivered');
      } catch (error) {
        const isLast = this.#closing.signal.aborted || monotonicMs() > untilMs;
        if (isLast) return this.#log.warn({ error, taskId }, 'undelivered response not recorded');
        await sleep(retryMs, this.#closing.signal);
      }
    }
  }
}

/** Keys and digests contain no space. */
const requestKey = ({ keyId, requestDigest }: RequestRef): string => `${keyId} ${requestDigest}`;
