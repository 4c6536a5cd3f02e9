/**
 * Collects which keys were used and writes them at most once per minute and key, many keys in one
 * statement, never while a request waits. A crash loses the last few seconds.
 */

import type { Queryable } from '../../database/database.ts';
import { monotonicMs, startInterval } from '../../process/clock.ts';
import { recordKeyUse } from './api-key.ts';

const flushMs = 10_000;
const rewriteMs = 60_000;

export class KeyUsage {
  readonly #db: Queryable;
  readonly #elapsed: () => number;
  readonly #timer: { stop(): void };
  readonly #writtenMs = new Map<string, number>();
  readonly #pending = new Set<string>();

  constructor(db: Queryable, { elapsed = monotonicMs }: { elapsed?: () => number } = {}) {
    this.#db = db;
    this.#elapsed = elapsed;
    this.#timer = startInterval(flushMs, () => this.flush());
  }

  record(keyId: string): void {
    const written = this.#writtenMs.get(keyId);
    if (written === undefined || this.#elapsed() - written >= rewriteMs) {
      this.#pending.add(keyId);
    }
  }

  async flush(): Promise<void> {
    if (this.#pending.size === 0) return;
    const keyIds = [...this.#pending];
    this.#pending.clear();
    const startedMs = this.#elapsed();
    for (const [keyId, written] of this.#writtenMs) {
      if (startedMs - written >= rewriteMs) this.#writtenMs.delete(keyId);
    }
    // Set before the write finishes, so that a key used meanwhile is not written twice.
    for (const keyId of keyIds) this.#writtenMs.set(keyId, startedMs);
    try {
      await recordKeyUse(this.#db, keyIds);
    } catch {
      // The next flush retries. Requests that need the database report its failure.
      for (const keyId of keyIds) {
        this.#writtenMs.delete(keyId);
        this.#pending.add(keyId);
      }
    }
  }

  async close(): Promise<void> {
    this.#timer.stop();
    await this.flush();
  }
}
