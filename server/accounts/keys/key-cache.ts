/**
 * Caches recently verified keys so that most requests need no database lookup. A revoked key is
 * rejected at once where `invalidate` is called, elsewhere on the notification, and within 5 s if
 * the notification is lost. Throws if the database fails; never reports that as an invalid key.
 */
import type { KeyObject } from 'node:crypto';
import { Batcher } from '../../database/batcher.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { monotonicMs, startInterval } from '../../process/clock.ts';
import { accountInactive } from '../suspension.ts';
import {
  type InactiveAccount,
  type KeyIdentity,
  keysChannel,
  recordKeyUse,
  type VerifiedKey,
  verifyKeys,
} from './api-key.ts';
import { digestKey } from './api-key-format.ts';

/**
 * A revoked key must be rejected everywhere within 5 s; the fifth second is for requests already in
 * progress.
 */
const activeMsMax = 4000;
const rejectedMs = 1000;
const keyScheme = 'Bearer ';
/** How long a key that a client sends again and again stays in memory with its digest. */
const digestsMs = 10_000;

type KeyCacheOptions = {
  readonly pepper: KeyObject;
  /**
   * Limits active and rejected keys separately; beyond it the least recently used key is evicted.
   */
  readonly entriesMax?: number;
  readonly elapsed?: () => number;
};

type CachedKey = { readonly identity: KeyIdentity; readonly untilMs: number };
type RejectedKey = { readonly reason: 'invalid' | InactiveAccount; readonly untilMs: number };
type Verification = { readonly identity: KeyIdentity } | Pick<RejectedKey, 'reason'>;

export class KeyCache {
  readonly #pepper: KeyObject;
  readonly #entriesMax: number;
  readonly #elapsed: () => number;
  readonly #batcher: Batcher<string, VerifiedKey | null>;
  readonly #usage: KeyUsage;
  readonly #watchers = new Set<{ identity: KeyIdentity; controller: AbortController }>();
  #subscription: { stop(): Promise<void> } | undefined;
  /** By key: an HMAC for every request would cost more than the rest of the check. */
  readonly #digests = new Map<string, string>();
  readonly #digestsTimer: { stop(): void };

  /**
   * Both are keyed by digest. Separate maps, so that a flood of invented keys evicts no customer's
   * key.
   */
  readonly #active = new Map<string, CachedKey>();
  readonly #rejected = new Map<string, RejectedKey>();
  #lookups = new Map<string, Promise<Verification>>();
  /**
   * Incremented by every invalidation: a lookup that started earlier may have read the old state.
   */
  #generation = 0;

  /** Use `openKeyCache`, which also subscribes to revocations. */
  constructor(db: Database, options: KeyCacheOptions) {
    this.#pepper = options.pepper;
    this.#entriesMax = options.entriesMax ?? 10_000;
    this.#elapsed = options.elapsed ?? monotonicMs;
    this.#usage = new KeyUsage(db, { elapsed: this.#elapsed });
    this.#digestsTimer = startInterval(digestsMs, async () => this.#digests.clear());
    this.#batcher = new Batcher({
      run: async (digests) => {
        const found = await verifyKeys(db, digests);
        return digests.map((digest) => found.get(digest) ?? null);
      },
      itemsMax: 1000,
      inFlightMax: 1,
    });
  }

  /**
   * Returns the identity if the header has a key that is known to be active, without waiting.
   * Otherwise undefined: then only `verify` can tell.
   */
  findActive(authorization: string | undefined): KeyIdentity | undefined {
    if (!authorization?.startsWith(keyScheme)) return undefined;
    const digest = this.#digests.get(authorization.slice(keyScheme.length));
    const cached = digest === undefined ? undefined : this.#findCached(digest);
    if (!cached || !('identity' in cached)) return undefined;
    this.#usage.record(cached.identity.keyId);
    return cached.identity;
  }

  /**
   * Returns the identity of an active key, or null for any other key. Throws `invalid_api_key` if
   * its account is suspended or closed.
   */
  async verify(key: string): Promise<KeyIdentity | null> {
    const known = this.#digests.get(key);
    const digest = known ?? digestKey(key, this.#pepper);
    const verified = this.#findCached(digest) ?? (await this.#lookUp(digest));
    if ('reason' in verified) {
      if (verified.reason === 'invalid') return null;
      throw accountInactive(verified.reason);
    }
    const { identity } = verified;
    if (known === undefined && this.#digests.size < this.#entriesMax) {
      this.#digests.set(key, digest);
    }
    this.#usage.record(identity.keyId);
    return identity;
  }

  /** The signal is aborted when the key is invalidated, for requests that wait. */
  watch(identity: KeyIdentity): Disposable & { readonly signal: AbortSignal } {
    const watcher = { identity, controller: new AbortController() };
    this.#watchers.add(watcher);
    return {
      signal: watcher.controller.signal,
      [Symbol.dispose]: () => void this.#watchers.delete(watcher),
    };
  }

  /** Call after the revocation has committed, so that a lookup that starts now sees it. */
  invalidate(keyId: string): void {
    this.#invalidateWhere((identity) => identity.keyId === keyId);
  }

  /** Call after the account's closing, suspension or other change has committed. */
  invalidateAccount(accountId: string): void {
    this.#invalidateWhere((identity) => identity.accountId === accountId);
  }

  /** Writes which keys this process saw, for a caller that must know whether a key was used. */
  async flushUsage(): Promise<void> {
    await this.#usage.flush();
  }

  async listen(db: Database): Promise<void> {
    this.#subscription = await db.listen(keysChannel, (id) => {
      if (id.startsWith('key_')) this.invalidate(id);
      else this.invalidateAccount(id);
    });
  }

  async close(): Promise<void> {
    this.#digestsTimer.stop();
    await this.#subscription?.stop();
    await this.#usage.close();
  }

  #findCached(digest: string): Verification | undefined {
    const nowMs = this.#elapsed();
    const active = this.#active.get(digest);
    if (active) {
      this.#active.delete(digest);
      if (nowMs >= active.untilMs) return undefined;
      // Moves to the end; the first entry is the least recently used.
      this.#active.set(digest, active);
      return active;
    }
    const rejected = this.#rejected.get(digest);
    if (rejected === undefined || nowMs < rejected.untilMs) return rejected;
    this.#rejected.delete(digest);
    return undefined;
  }

  /** Requests with the same key share a lookup; keys that arrive together share a query. */
  #lookUp(digest: string): Promise<Verification> {
    const shared = this.#lookups.get(digest);
    if (shared) return shared;
    const started = { generation: this.#generation, atMs: this.#elapsed() };
    const lookups = this.#lookups;
    const lookup = this.#batcher
      .add(digest)
      .then((found) => {
        if (started.generation === this.#generation) this.#store(digest, found, started.atMs);
        return toVerification(found);
      })
      .finally(() => lookups.delete(digest));
    lookups.set(digest, lookup);
    return lookup;
  }

  /** The lifetime counts from the start of the lookup, since the result may already be old. */
  #store(digest: string, found: VerifiedKey | null, startedMs: number): void {
    const verified = toVerification(found);
    if ('identity' in verified) {
      const ttlMs = Math.min(activeMsMax, found?.expiresInMs ?? activeMsMax);
      this.#active.set(digest, { ...verified, untilMs: startedMs + ttlMs });
    } else {
      this.#rejected.set(digest, { ...verified, untilMs: startedMs + rejectedMs });
    }
    for (const entries of [this.#active, this.#rejected]) {
      const [oldest] = entries.keys();
      if (oldest !== undefined && entries.size > this.#entriesMax) entries.delete(oldest);
    }
  }

  #invalidateWhere(matches: (identity: KeyIdentity) => boolean): void {
    for (const [digest, { identity }] of this.#active) {
      if (matches(identity)) this.#active.delete(digest);
    }
    // Lookups in progress may have read the old state: their results are not cached, and later
    // requests start a new lookup instead of sharing them.
    this.#generation += 1;
    this.#lookups = new Map();
    for (const { identity, controller } of this.#watchers) {
      if (matches(identity)) controller.abort();
    }
  }
}

function toVerification(found: VerifiedKey | null): Verification {
  if (!found) return { reason: 'invalid' };
  return found.inactive ? { reason: found.inactive } : { identity: found.identity };
}

export async function openKeyCache(db: Database, options: KeyCacheOptions): Promise<KeyCache> {
  const keys = new KeyCache(db, options);
  await keys.listen(db);
  return keys;
}

const flushMs = 10_000;
const rewriteMs = 60_000;

/**
 * Collects which keys were used and writes them at most once per minute and key, many keys in one
 * statement, never while a request waits. A crash loses the last few seconds.
 */
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
