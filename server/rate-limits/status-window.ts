/**
 * The sliding window of status requests: exact within a process, in memory, without waiting. Counts
 * of other processes are added about once a second, so together they can exceed the limit by what
 * arrives in that second. After a restart the window starts with what the others know.
 */

import type { Database } from '../database/database.ts';
import { monotonicMs } from '../process/clock.ts';
import {
  allow,
  deny,
  emptyWindow,
  type RateLimitResult,
  rateWindowSeconds,
  unlimited,
} from './rate-limit-result.ts';
import { StatusSync } from './status-sync.ts';

type StatusLimiterOptions = {
  /** Requests per window and key; 0 means no limit. */
  readonly limit: number;
  readonly windowSeconds?: number;
  /** Beyond it the least recently used key is evicted and starts with an empty window. */
  readonly keysMax?: number;
  readonly elapsed?: () => number;
};

export class StatusLimiter {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #keysMax: number;
  readonly #elapsed: () => number;
  /** In order of last use. */
  readonly #logs = new Map<string, SlidingLog>();
  /** Counts not yet shared with other processes. */
  #unsent = new Map<string, number>();
  #sync: StatusSync | undefined;

  constructor({ limit, windowSeconds, keysMax, elapsed }: StatusLimiterOptions) {
    this.#limit = limit;
    this.#windowMs = (windowSeconds ?? rateWindowSeconds) * 1000;
    this.#keysMax = keysMax ?? 10_000;
    this.#elapsed = elapsed ?? monotonicMs;
  }

  /** Counts a request of a key, or of another window with its own name and limit. */
  consume(keyId: string, limit = this.#limit): RateLimitResult {
    if (limit === 0) return unlimited;
    const nowMs = this.#elapsed();
    const log = this.#logOf(keyId, nowMs);
    const allowed = log.total < limit;
    if (allowed) {
      append(log, nowMs, 1);
      if (this.#sync) this.#unsent.set(keyId, (this.#unsent.get(keyId) ?? 0) + 1);
    }
    const resetInMs = nextExpiryMs(log, limit) + this.#windowMs - nowMs;
    return allowed
      ? allow({ limit, remaining: limit - log.total, resetInMs, stamp: nowMs })
      : deny({ limit, resetInMs });
  }

  /** Uncounts a request that was allowed, by the `stamp` of its result. */
  release(keyId: string, atMs: number): void {
    const log = this.#logs.get(keyId);
    if (!log || !remove(log, atMs)) return;
    if (this.#sync) this.#unsent.set(keyId, (this.#unsent.get(keyId) ?? 0) - 1);
  }

  /** The current values without counting, for requests that are rejected before they count. */
  peek(keyId: string | null, limit = this.#limit): RateLimitResult {
    const nowMs = this.#elapsed();
    const log = keyId === null ? undefined : this.#logs.get(keyId);
    if (log) evictUntil(log, nowMs - this.#windowMs);
    if (limit === 0 || !log || log.total === 0) return emptyWindow(limit);
    const resetInMs = nextExpiryMs(log, limit) + this.#windowMs - nowMs;
    return allow({ limit, remaining: Math.max(0, limit - log.total), resetInMs });
  }

  /** Exchanges counts with other processes about once a second until closed. */
  async share(db: Database): Promise<void> {
    this.#sync = new StatusSync(db, {
      windowMs: this.#windowMs,
      elapsed: this.#elapsed,
      drainUnsent: () => {
        const unsent = this.#unsent;
        this.#unsent = new Map();
        return unsent;
      },
      onRemoteCount: (keyId, { allowed, atMs }) => {
        const nowMs = this.#elapsed();
        if (atMs <= nowMs - this.#windowMs) return;
        const log = this.#logOf(keyId, nowMs);
        // Requests that another process has uncounted after it shared them.
        if (allowed > 0) append(log, atMs, allowed);
        else for (let left = -allowed; left > 0 && remove(log, newestMs(log)); left--);
      },
    });
    await this.#sync.start();
  }

  async close(): Promise<void> {
    await this.#sync?.close();
  }

  #logOf(keyId: string, nowMs: number): SlidingLog {
    const log = this.#logs.get(keyId) ?? { at: [], count: [], head: 0, total: 0 };
    this.#logs.delete(keyId);
    this.#logs.set(keyId, log);
    evictUntil(log, nowMs - this.#windowMs);
    this.#evictIdle(nowMs);
    return log;
  }

  /**
   * The first entry is the least recently used; it is evicted if its window is empty or there are
   * too many.
   */
  #evictIdle(nowMs: number): void {
    for (const [keyId, log] of this.#logs) {
      const isIdle = newestMs(log) <= nowMs - this.#windowMs;
      if (this.#logs.size <= 1 || !(isIdle || this.#logs.size > this.#keysMax)) return;
      this.#logs.delete(keyId);
    }
  }
}

/** Opens a limiter that shares its counts, unless no other process uses the database. */
export async function openStatusLimiter(
  db: Database,
  { isOnlyProcess, limit }: { readonly isOnlyProcess: boolean; readonly limit: number },
): Promise<StatusLimiter> {
  const limiter = new StatusLimiter({ limit });
  if (!isOnlyProcess) await limiter.share(db);
  return limiter;
}

/**
 * When requests were admitted, oldest first, for one key and one window.
 * `at[i]` is a time in ms, `count[i]` how many requests were admitted then; valid from `head` on.
 */
type SlidingLog = { at: number[]; count: number[]; head: number; total: number };

/** Removes everything up to and including this time. */
function evictUntil(log: SlidingLog, untilMs: number): void {
  while (log.head < log.at.length && log.at[log.head]! <= untilMs) {
    log.total -= log.count[log.head]!;
    log.head += 1;
  }
  // The evicted part is cut off once it is the larger one, which costs nothing on average.
  if (log.head > 32 && log.head * 2 > log.at.length) {
    log.at = log.at.slice(log.head);
    log.count = log.count.slice(log.head);
    log.head = 0;
  }
}

/** Almost always appends at the end; reports of other processes can be slightly older. */
function append(log: SlidingLog, atMs: number, count: number): void {
  let index = log.at.length;
  while (index > log.head && log.at[index - 1]! > atMs) index -= 1;
  if (index === log.at.length) {
    log.at.push(atMs);
    log.count.push(count);
  } else {
    log.at.splice(index, 0, atMs);
    log.count.splice(index, 0, count);
  }
  log.total += count;
}

/** Removes one request that was admitted at that time. Returns false if there is none. */
function remove(log: SlidingLog, atMs: number): boolean {
  const index = log.at.lastIndexOf(atMs);
  if (index < log.head) return false;
  log.total -= 1;
  log.count[index]! -= 1;
  if (log.count[index] === 0) {
    log.at.splice(index, 1);
    log.count.splice(index, 1);
  }
  return true;
}

/**
 * The time whose expiry brings the total below the limit; the oldest one if there is room already.
 */
function nextExpiryMs(log: SlidingLog, limit: number): number {
  let total = log.total;
  for (let index = log.head; index < log.at.length; index += 1) {
    total -= log.count[index]!;
    if (total < limit) return log.at[index]!;
  }
  return Number.NEGATIVE_INFINITY;
}

/** The newest time, or -Infinity for an empty log. */
function newestMs(log: SlidingLog): number {
  return log.at.at(-1) ?? Number.NEGATIVE_INFINITY;
}
