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
import {
  append,
  createSlidingLog,
  evictUntil,
  newestMs,
  nextExpiryMs,
  remove,
  type SlidingLog,
} from './sliding-log.ts';
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
    const log = this.#logs.get(keyId) ?? createSlidingLog();
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
