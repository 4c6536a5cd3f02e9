/**
 * The sliding window of status queries: exact within a process, in memory, no waiting. What other
 * processes admitted is added about once a second, so together they may exceed the limit by what
 * arrives in that second. A restart begins with what the others know.
 */
import { elapsedMs } from '../clock.ts';
import type { Database } from '../database/database.ts';
import {
  admit,
  type RateAnswer,
  rateWindowSeconds,
  refuse,
  unlimited,
  unused,
} from './rate-answer.ts';
import {
  append,
  forgetUntil,
  leavingMs,
  newestMs,
  newLog,
  type SlidingLog,
} from './sliding-log.ts';
import { StatusExchange } from './status-exchange.ts';

export type StatusLimiterOptions = {
  /** Requests a window a key; 0 is no limit. */
  readonly limit: number;
  readonly windowSeconds?: number;
  /** Beyond it the key asked about least recently is forgotten, and starts with an empty window. */
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
  /** What other processes have not been told yet. */
  #untold = new Map<string, number>();
  #exchange: StatusExchange | undefined;

  constructor({ limit, windowSeconds, keysMax, elapsed }: StatusLimiterOptions) {
    this.#limit = limit;
    this.#windowMs = (windowSeconds ?? rateWindowSeconds) * 1000;
    this.#keysMax = keysMax ?? 10_000;
    this.#elapsed = elapsed ?? elapsedMs;
  }

  decide(keyId: string): RateAnswer {
    const limit = this.#limit;
    if (limit === 0) return unlimited;
    const nowMs = this.#elapsed();
    const log = this.#logOf(keyId, nowMs);
    const admitted = log.total < limit;
    if (admitted) {
      append(log, nowMs, 1);
      if (this.#exchange) this.#untold.set(keyId, (this.#untold.get(keyId) ?? 0) + 1);
    }
    const freeInMs = leavingMs(log, limit) + this.#windowMs - nowMs;
    return admitted
      ? admit({ limit, remaining: limit - log.total, freeInMs })
      : refuse({ limit, freeInMs });
  }

  /** The figures alone, no place taken: for requests that are refused before they count. */
  look(keyId: string | null): RateAnswer {
    const limit = this.#limit;
    const nowMs = this.#elapsed();
    const log = keyId === null ? undefined : this.#logs.get(keyId);
    if (log) forgetUntil(log, nowMs - this.#windowMs);
    if (limit === 0 || !log || log.total === 0) return unused(limit);
    const freeInMs = leavingMs(log, limit) + this.#windowMs - nowMs;
    return admit({ limit, remaining: Math.max(0, limit - log.total), freeInMs });
  }

  /** Tells the others and hears from them, about once a second, until closed. */
  async share(db: Database): Promise<void> {
    this.#exchange = new StatusExchange(db, {
      windowMs: this.#windowMs,
      elapsed: this.#elapsed,
      take: () => {
        const taken = this.#untold;
        this.#untold = new Map();
        return taken;
      },
      hear: (keyId, { admitted, atMs }) => {
        const nowMs = this.#elapsed();
        if (atMs > nowMs - this.#windowMs) append(this.#logOf(keyId, nowMs), atMs, admitted);
      },
    });
    await this.#exchange.start();
  }

  async close(): Promise<void> {
    await this.#exchange?.close();
  }

  #logOf(keyId: string, nowMs: number): SlidingLog {
    const log = this.#logs.get(keyId) ?? newLog();
    this.#logs.delete(keyId);
    this.#logs.set(keyId, log);
    forgetUntil(log, nowMs - this.#windowMs);
    this.#dropIdle(nowMs);
    return log;
  }

  /** The front was used least recently: it goes when its window is empty, or for lack of room. */
  #dropIdle(nowMs: number): void {
    for (const [keyId, log] of this.#logs) {
      const idle = newestMs(log) <= nowMs - this.#windowMs;
      if (this.#logs.size <= 1 || !(idle || this.#logs.size > this.#keysMax)) return;
      this.#logs.delete(keyId);
    }
  }
}

/** On the embedded engine there is exactly one process, so nothing is shared. */
export async function openStatusLimiter(
  db: Database,
  options: StatusLimiterOptions,
): Promise<StatusLimiter> {
  const limiter = new StatusLimiter(options);
  if (db.engine === 'postgres' && options.limit > 0) await limiter.share(db);
  return limiter;
}
