/**
 * Rate limit of creates. Requests that arrive while a batch is decided form the next one, so a busy
 * process needs one transaction per batch. A key whose window is known to be full is denied from
 * memory until it has room again, so hammering costs the database nothing.
 */

import { Batcher } from '../database/batcher.ts';
import type { Transaction } from '../database/database.ts';
import { monotonicMs } from '../process/clock.ts';
import {
  type CreateDecision,
  consumeCreates,
  peekCreates,
  releaseCreate,
  type WindowRules,
} from './create-window.ts';
import {
  allow,
  deny,
  emptyWindow,
  type RateLimitResult,
  rateWindowSeconds,
  unlimited,
} from './rate-limit-result.ts';

type CreateLimiterOptions = {
  /** Runs the work in a transaction that the caller opens. */
  readonly run: <T>(
    work: (tx: Transaction) => Promise<T>,
    options?: { readonly isRepeatable: true },
  ) => Promise<T>;
  /** Requests per window and key; 0 means no limit. */
  readonly limit: number;
  readonly windowSeconds?: number;
  readonly elapsed?: () => number;
};

/** By the local clock, the window has room again between these two times. */
type Exhausted = { readonly earliestMs: number; readonly latestMs: number };

const exhaustedKeysMax = 10_000;
/** Fraction by which the two clocks may drift apart; it makes no request wait longer. */
const clockDrift = 0.001;

export class CreateLimiter {
  readonly #run: CreateLimiterOptions['run'];
  readonly #rules: WindowRules;
  readonly #elapsed: () => number;
  readonly #batcher: Batcher<string, RateLimitResult>;
  readonly #exhausted = new Map<string, Exhausted>();

  constructor({ run, limit, windowSeconds, elapsed }: CreateLimiterOptions) {
    this.#run = run;
    this.#rules = { limit, windowSeconds: windowSeconds ?? rateWindowSeconds };
    this.#elapsed = elapsed ?? monotonicMs;
    this.#batcher = new Batcher({
      run: async (keyIds) => {
        const sentMs = this.#elapsed();
        // After a lost connection, creates are counted twice rather than not at all.
        const consume = (tx: Transaction) => consumeCreates(tx, keyIds, this.#rules);
        const decisions = await run(consume, { isRepeatable: true });
        const receivedMs = this.#elapsed();
        return decisions.map((decision, at) => {
          if (!decision.allowed) this.#markExhausted(keyIds[at]!, decision, { sentMs, receivedMs });
          return toRateLimitResult(decision, limit);
        });
      },
      itemsMax: 1000,
      inFlightMax: 1,
    });
  }

  /** Throws if the database cannot be reached: a create is never admitted uncounted. */
  async consume(keyId: string): Promise<RateLimitResult> {
    const { limit } = this.#rules;
    if (limit === 0) return unlimited;
    const exhausted = this.#exhausted.get(keyId);
    if (exhausted) {
      const nowMs = this.#elapsed();
      if (nowMs < exhausted.earliestMs)
        return deny({ limit, resetInMs: exhausted.latestMs - nowMs });
      this.#exhausted.delete(keyId);
    }
    return this.#batcher.add(keyId);
  }

  /** Uncounts a request that was allowed, by the `stamp` of its result. */
  async release(keyId: string, stampUs: number): Promise<void> {
    await this.#run((tx) => releaseCreate(tx, { keyId, stampUs }));
    this.#exhausted.delete(keyId);
  }

  /** The current values without counting, for requests that are rejected before they count. */
  async peek(keyId: string | null): Promise<RateLimitResult> {
    const { limit } = this.#rules;
    if (limit === 0 || keyId === null) return emptyWindow(limit);
    const peek = (tx: Transaction) => peekCreates(tx, keyId, this.#rules);
    const usage = await this.#run(peek, { isRepeatable: true });
    return usage ? allow({ limit, ...usage }) : emptyWindow(limit);
  }

  /** The database read its clock between sending the batch and receiving the result. */
  #markExhausted(
    keyId: string,
    { resetInMs }: CreateDecision,
    { sentMs, receivedMs }: { sentMs: number; receivedMs: number },
  ): void {
    const [oldest] = this.#exhausted.keys();
    if (oldest !== undefined && this.#exhausted.size >= exhaustedKeysMax)
      this.#exhausted.delete(oldest);
    this.#exhausted.set(keyId, {
      earliestMs: sentMs + resetInMs * (1 - clockDrift),
      latestMs: receivedMs + resetInMs,
    });
  }
}

function toRateLimitResult(
  { allowed, remaining, resetInMs, stampUs: stamp }: CreateDecision,
  limit: number,
): RateLimitResult {
  return allowed ? allow({ limit, remaining, resetInMs, stamp }) : deny({ limit, resetInMs });
}
