/**
 * Remembers files that ended the process that measured them, so that each costs one process, and
 * their accounts, whose files then share one process.
 */
import { createHash } from 'node:crypto';
import { ExpiringMap } from './expiring-map.ts';
import type { DurationInput } from './media-duration.ts';

const bounds = { ttlMs: 10 * 60_000, entriesMax: 1_000 };

export class KilledFiles<Result> {
  readonly #results = new ExpiringMap<Result>(bounds);
  readonly #accounts = new ExpiringMap<true>(bounds);

  add(file: DurationInput, { accountId, result }: { accountId: string; result: Result }): void {
    this.#results.set(digestOf(file), result);
    this.#accounts.set(accountId, true);
  }

  /** Null for a file that is not known to end its process. */
  find(file: DurationInput): Result | null {
    // Usually there are none, and no file has to be read.
    return this.#results.size === 0 ? null : this.#results.get(digestOf(file));
  }

  isFrom(accountId: string): boolean {
    return this.#accounts.get(accountId) !== null;
  }
}

/** Covers its length and its first bytes, which are the same however much of it is known. */
function digestOf({ kind, bytesTotal, pieces }: DurationInput): string {
  const first = pieces[0]?.bytes.subarray(0, 64 * 1024) ?? '';
  return createHash('sha256').update(`${kind} ${bytesTotal} `).update(first).digest('base64');
}
