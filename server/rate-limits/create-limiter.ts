/**
 * The door of creates. Requests that arrive while a batch is being decided form the next one, so a
 * busy process costs the database one transaction a batch. A key whose window is known to be full
 * is refused from memory until its next place is free: hammering costs the database nothing.
 */
import { elapsedMs } from '../clock.ts';
import { Batcher } from '../database/batcher.ts';
import type { Transaction } from '../database/database.ts';
import { decideCreates, lookAtCreates, type Verdict, type WindowRules } from './create-window.ts';
import {
  admit,
  type RateAnswer,
  rateWindowSeconds,
  refuse,
  unlimited,
  unused,
} from './rate-answer.ts';

export type CreateLimiterOptions = {
  /** Runs the work in a transaction of the caller's making. */
  readonly run: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
  /** Requests a window a key; 0 is no limit. */
  readonly limit: number;
  readonly windowSeconds?: number;
  readonly elapsed?: () => number;
};

/** The next place is free at some moment between these two, by our clock. */
type Full = { readonly fromMs: number; readonly byMs: number };

const fullKeysMax = 10_000;
/** Two clocks may run apart by this much of what they measure; nobody waits longer for that. */
const clockDrift = 0.001;

export class CreateLimiter {
  readonly #run: CreateLimiterOptions['run'];
  readonly #rules: WindowRules;
  readonly #elapsed: () => number;
  readonly #batcher: Batcher<string, RateAnswer>;
  readonly #full = new Map<string, Full>();

  constructor({ run, limit, windowSeconds, elapsed }: CreateLimiterOptions) {
    this.#run = run;
    this.#rules = { limit, windowSeconds: windowSeconds ?? rateWindowSeconds };
    this.#elapsed = elapsed ?? elapsedMs;
    this.#batcher = new Batcher({
      run: async (keyIds) => {
        const askedMs = this.#elapsed();
        const verdicts = await run((tx) => decideCreates(tx, keyIds, this.#rules));
        const answeredMs = this.#elapsed();
        return verdicts.map((verdict, at) => {
          if (!verdict.admitted) this.#remember(keyIds[at]!, verdict, { askedMs, answeredMs });
          return answerOf(verdict, limit);
        });
      },
      itemsMax: 1000,
      inFlightMax: 1,
    });
  }

  /** Throws when the database cannot be asked: a create is never let in uncounted. */
  async decide(keyId: string): Promise<RateAnswer> {
    const { limit } = this.#rules;
    if (limit === 0) return unlimited;
    const full = this.#full.get(keyId);
    if (full) {
      const nowMs = this.#elapsed();
      if (nowMs < full.fromMs) return refuse({ limit, freeInMs: full.byMs - nowMs });
      this.#full.delete(keyId);
    }
    return this.#batcher.add(keyId);
  }

  /** The figures alone, no place taken: for requests that are refused before they count. */
  async look(keyId: string | null): Promise<RateAnswer> {
    const { limit } = this.#rules;
    if (limit === 0 || keyId === null) return unused(limit);
    const found = await this.#run((tx) => lookAtCreates(tx, keyId, this.#rules));
    return found ? admit({ limit, ...found }) : unused(limit);
  }

  /** The database read its clock after the question and before the answer. */
  #remember(
    keyId: string,
    { freeInMs }: Verdict,
    { askedMs, answeredMs }: { askedMs: number; answeredMs: number },
  ): void {
    const [oldest] = this.#full.keys();
    if (oldest !== undefined && this.#full.size >= fullKeysMax) this.#full.delete(oldest);
    this.#full.set(keyId, {
      fromMs: askedMs + freeInMs * (1 - clockDrift),
      byMs: answeredMs + freeInMs,
    });
  }
}

function answerOf({ admitted, remaining, freeInMs }: Verdict, limit: number): RateAnswer {
  return admitted ? admit({ limit, remaining, freeInMs }) : refuse({ limit, freeInMs });
}
