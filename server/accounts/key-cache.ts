/**
 * The keys that were verified a moment ago, so that most requests need no look-up. A revoked key is
 * refused at once where `forget` is called, elsewhere when the notification arrives, and within 5 s
 * where that was lost. Without the database it throws; it never says "invalid".
 */
import type { KeyObject } from 'node:crypto';
import { monotonicMs } from '../clock.ts';
import { Batcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import { type ActiveKey, type KeyIdentity, keysChannel, verifyKeys } from './api-key.ts';
import { digestKey } from './api-key-format.ts';
import { KeyUsage } from './key-usage.ts';

/**
 * The operator interface promises that a revoked key is refused everywhere within 5 s: the last of
 * them is for requests that are being answered.
 */
const activeMsMax = 4000;
const invalidMs = 1000;

export type KeyCacheOptions = {
  readonly pepper: KeyObject;
  /** Of working and of refused keys each; beyond it the least recently used one is forgotten. */
  readonly entriesMax?: number;
  readonly elapsed?: () => number;
};

type CachedKey = { readonly identity: KeyIdentity; readonly untilMs: number };

export class KeyCache {
  readonly #pepper: KeyObject;
  readonly #entriesMax: number;
  readonly #elapsed: () => number;
  readonly #batcher: Batcher<string, ActiveKey | null>;
  readonly #usage: KeyUsage;
  #subscription: { stop(): Promise<void> } | undefined;

  /** Both by digest. Apart, so that a flood of made-up keys pushes no customer's key out. */
  readonly #active = new Map<string, CachedKey>();
  readonly #invalidUntilMs = new Map<string, number>();
  #lookups = new Map<string, Promise<KeyIdentity | null>>();
  /** Counts what was forgotten: a look-up begun before may have read the time before. */
  #generation = 0;

  /** Use `openKeyCache`, which also listens. */
  constructor(db: Database, options: KeyCacheOptions) {
    this.#pepper = options.pepper;
    this.#entriesMax = options.entriesMax ?? 10_000;
    this.#elapsed = options.elapsed ?? monotonicMs;
    this.#usage = new KeyUsage(db, { elapsed: this.#elapsed });
    this.#batcher = new Batcher({
      run: async (digests) => {
        const found = await verifyKeys(db, digests);
        return digests.map((digest) => found.get(digest) ?? null);
      },
      itemsMax: 1000,
      inFlightMax: 1,
    });
  }

  /** Whose key it is; null when it does not work, whatever the reason. */
  async verify(key: string): Promise<KeyIdentity | null> {
    const digest = digestKey(key, this.#pepper);
    const cached = this.#findCached(digest);
    const identity = cached === undefined ? await this.#lookUp(digest) : cached;
    if (identity) this.#usage.record(identity.keyId);
    return identity;
  }

  /** Call it once the revocation is committed: a look-up that starts now must see it. */
  invalidate(keyId: string): void {
    this.#invalidateWhere((identity) => identity.keyId === keyId);
  }

  /** Call it once the closing is committed. */
  invalidateAccount(accountId: string): void {
    this.#invalidateWhere((identity) => identity.accountId === accountId);
  }

  async listen(db: Database): Promise<void> {
    this.#subscription = await db.listen(keysChannel, (id) => {
      if (id.startsWith('key_')) this.invalidate(id);
      else this.invalidateAccount(id);
    });
  }

  async close(): Promise<void> {
    await this.#subscription?.stop();
    await this.#usage.close();
  }

  #findCached(digest: string): KeyIdentity | null | undefined {
    const nowMs = this.#elapsed();
    const active = this.#active.get(digest);
    if (active) {
      this.#active.delete(digest);
      if (nowMs >= active.untilMs) return undefined;
      this.#active.set(digest, active); // To the end: the front is the least recently used.
      return active.identity;
    }
    const invalidUntilMs = this.#invalidUntilMs.get(digest);
    if (invalidUntilMs === undefined) return undefined;
    if (nowMs < invalidUntilMs) return null;
    this.#invalidUntilMs.delete(digest);
    return undefined;
  }

  /** Requests with the same key share a look-up; keys that arrive together share a query. */
  #lookUp(digest: string): Promise<KeyIdentity | null> {
    const shared = this.#lookups.get(digest);
    if (shared) return shared;
    const started = { generation: this.#generation, atMs: this.#elapsed() };
    const lookups = this.#lookups;
    const lookup = this.#batcher
      .add(digest)
      .then((found) => {
        if (started.generation === this.#generation) this.#store(digest, found, started.atMs);
        return found?.identity ?? null;
      })
      .finally(() => lookups.delete(digest));
    lookups.set(digest, lookup);
    return lookup;
  }

  /** Lives from the question on, not from the answer: the answer may already be old. */
  #store(digest: string, found: ActiveKey | null, startedMs: number): void {
    if (found) {
      const ttlMs = Math.min(activeMsMax, found.expiresInMs ?? activeMsMax);
      this.#active.set(digest, { identity: found.identity, untilMs: startedMs + ttlMs });
    } else {
      this.#invalidUntilMs.set(digest, startedMs + invalidMs);
    }
    for (const entries of [this.#active, this.#invalidUntilMs]) {
      const [oldest] = entries.keys();
      if (oldest !== undefined && entries.size > this.#entriesMax) entries.delete(oldest);
    }
  }

  #invalidateWhere(matches: (identity: KeyIdentity) => boolean): void {
    for (const [digest, { identity }] of this.#active) {
      if (matches(identity)) this.#active.delete(digest);
    }
    // Look-ups under way may have read the state before: their answers are not kept, and requests
    // that come from now on ask anew instead of sharing them.
    this.#generation += 1;
    this.#lookups = new Map();
  }
}

export async function openKeyCache(db: Database, options: KeyCacheOptions): Promise<KeyCache> {
  const keys = new KeyCache(db, options);
  await keys.listen(db);
  return keys;
}
