/** How long a key stays cached, that a revoked key does not, and how often its use is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useDatabase } from '../../../proof/kit/scratch-database.ts';
import type { Database, Queryable, Rows } from '../../database/database.ts';
import { closeAccount, createAccount } from '../account.ts';
import { createApiKey, listKeys, revokeKey } from './api-key.ts';
import { digestKey, generateKey, keyPepper } from './api-key-format.ts';
import { authenticate } from './authenticate.ts';
import { KeyCache, KeyUsage, openKeyCache } from './key-cache.ts';

const pepper = keyPepper('the secret of these tests');
const scratch = await useDatabase();

async function createKey() {
  return scratch.db.transaction(async (tx) => {
    const { id: accountId } = await createAccount(tx, { name: 'holder' });
    return createApiKey(tx, { pepper, accountId, mode: 'live', name: 'a key' });
  });
}

/** The real database behind a wrapper that counts queries, can hold results back, and can fail. */
function instrumentedDatabase() {
  const seen = { lookups: 0, results: 0, digests: 0, writes: 0, broken: false };
  const queried: unknown[] = [];
  let gate: PromiseWithResolvers<void> | undefined;
  const db = {
    ...scratch.db,
    listen: (channel: string, onNotification: (payload: string) => void) =>
      scratch.db.listen(channel, onNotification),
    async query(text: string, values: readonly unknown[] = []): Promise<Rows> {
      if (text.startsWith('update')) seen.writes += 1;
      else {
        seen.lookups += 1;
        seen.digests += (values[0] as string[]).length;
        queried.push(...values);
      }
      if (seen.broken) throw new Error('the database is away');
      const result = await scratch.db.query(text, values);
      seen.results += 1;
      await gate?.promise;
      return result;
    },
  } as Database;
  return {
    db,
    seen,
    queried,
    /** Holds back results that were already read until the returned function is called. */
    hold: (): (() => void) => {
      gate = Promise.withResolvers();
      return gate.resolve;
    },
  };
}

function cacheWithTime(db: Database, options: { entriesMax?: number } = {}) {
  const time = { ms: 1000 };
  const cache = new KeyCache(db, { pepper, elapsed: () => time.ms, ...options });
  return { cache, time };
}

for (const [kind, cachedMs] of [
  ['active', 4000],
  ['inactive', 1000],
] as const) {
  test(`looks an ${kind} key up once every ${cachedMs} ms`, async () => {
    const { db, seen } = instrumentedDatabase();
    const { cache, time } = cacheWithTime(db);
    const { id, key } =
      kind === 'active' ? await createKey() : { id: null, key: generateKey('live') };
    const verify = async () => assert.equal((await cache.verify(key))?.keyId ?? null, id);
    await verify();
    time.ms += cachedMs - 1;
    await verify();
    assert.equal(seen.lookups, 1);
    time.ms += 1;
    await verify();
    assert.equal(seen.lookups, 2);
    await cache.close();
  });
}

test('concurrent requests share lookups and queries', async () => {
  const { db, seen } = instrumentedDatabase();
  const { cache } = cacheWithTime(db);
  const keys = [(await createKey()).key, (await createKey()).key, generateKey('test')];
  const identities = await Promise.all(
    Array.from({ length: 30 }, (_, at) => cache.verify(keys[at % 3]!)),
  );
  assert.deepEqual({ lookups: seen.lookups, digests: seen.digests }, { lookups: 1, digests: 3 });
  assert.equal(identities.filter((identity) => identity === null).length, 10);
  await cache.close();
});

test('a cache learns of a revocation by notification', { timeout: 60_000 }, async () => {
  // Its clock does not move, so only the notification can invalidate the entry.
  const here = await openKeyCache(scratch.db, { pepper, elapsed: () => 0 });
  const revoked = await createKey();
  const closed = await createKey();
  assert.ok(await here.verify(revoked.key));
  assert.ok(await here.verify(closed.key));
  await scratch.db.transaction(async (tx) => {
    await revokeKey(tx, revoked.id);
    await closeAccount(tx, closed.accountId);
  });
  const isActive = async ({ key }: { key: string }) =>
    await here.verify(key).catch((error: Error) => assert.match(error.message, / is closed;/));
  while ((await isActive(revoked)) || (await isActive(closed))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await here.close();
});

test('a key revoked during its lookup is not cached as active', async () => {
  const { db, seen, hold } = instrumentedDatabase();
  const { cache } = cacheWithTime(db);
  const { id, key } = await createKey();
  const release = hold();
  const before = cache.verify(key);
  // The key is revoked after the lookup has read its result, which is held back.
  while (seen.results === 0) await new Promise((resolve) => setImmediate(resolve));
  await scratch.db.transaction((tx) => revokeKey(tx, id));
  cache.invalidate(id);

  // This request came after the revocation and must not get the old result.
  const behind = cache.verify(key);
  release();
  assert.equal((await before)?.keyId, id);
  assert.equal(await behind, null);
  assert.equal(await cache.verify(key), null);
  await cache.close();
});

test('does not cache a key beyond its expiry', async () => {
  const rowsToReturn = [{ keyId: 'key_soon_expired', expiresInMs: 3000 }];
  const query = async (_: string, values: readonly unknown[] = []) => {
    const rows = rowsToReturn
      .splice(0)
      .map((row) => ({ ...row, digest: (values[0] as string[])[0] }));
    return { rows, rowCount: rows.length };
  };
  const { cache, time } = cacheWithTime({ ...scratch.db, query } as Database);
  const key = generateKey('live');
  assert.ok(await cache.verify(key));
  time.ms += 2999;
  assert.ok(await cache.verify(key));
  time.ms += 1;
  assert.equal(await cache.verify(key), null);
  await cache.close();
});

test('without the database cached keys work for four seconds, then verify throws', async () => {
  const { db, seen } = instrumentedDatabase();
  const { cache, time } = cacheWithTime(db);
  const { id, key } = await createKey();
  await cache.verify(key);
  seen.broken = true;
  assert.equal((await cache.verify(key))?.keyId, id);
  await assert.rejects(cache.verify(generateKey('live')), /the database is away/);
  time.ms += 4000;
  await assert.rejects(cache.verify(key), /the database is away/);
  seen.broken = false;
  assert.equal((await cache.verify(key))?.keyId, id);
  await cache.close();
});

test('a flood of invented keys evicts no active key', async () => {
  const { db, seen } = instrumentedDatabase();
  const { cache } = cacheWithTime(db, { entriesMax: 3 });
  const kept = await Promise.all([createKey(), createKey(), createKey()]);
  for (const { key } of kept) await cache.verify(key);
  await Promise.all(Array.from({ length: 50 }, () => cache.verify(generateKey('live'))));
  const lookups = seen.lookups;
  for (const { key } of kept) assert.ok(await cache.verify(key));
  assert.equal(seen.lookups, lookups);

  // One more active key evicts the least recently used one.
  await cache.verify(kept[0]!.key);
  await cache.verify((await createKey()).key);
  seen.lookups = 0;
  await cache.verify(kept[0]!.key);
  await cache.verify(kept[2]!.key);
  assert.equal(seen.lookups, 0);
  await cache.verify(kept[1]!.key);
  assert.equal(seen.lookups, 1);
  await cache.close();
});

test('writes uses in one statement, off the request path, once a minute', async () => {
  const { db, seen } = instrumentedDatabase();
  const { cache } = cacheWithTime(db);
  const used = await Promise.all([createKey(), createKey()]);
  for (const { key } of [...used, ...used]) await cache.verify(key);
  await cache.verify(generateKey('live'));
  assert.equal(seen.writes, 0);
  await cache.close();
  assert.equal(seen.writes, 1);
  for (const { id, accountId } of used) {
    const { items } = await listKeys(scratch.db, { accountId, limit: 1 });
    assert.ok(items[0]!.lastUsedAt instanceof Date, id);
  }
});

test('unknown, revoked and expired keys give one result for the same work', async () => {
  const revoked = await createKey();
  const expired = await createKey();
  await scratch.db.transaction(async (tx) => {
    await revokeKey(tx, revoked.id);
    await tx.query(`update api_keys set expires_at = now() where id = $1`, [expired.id]);
  });
  const messages = new Set<string>();
  const work = new Set<string>();
  for (const key of [generateKey('live'), generateKey('test'), revoked.key, expired.key]) {
    const { db, seen, queried } = instrumentedDatabase();
    const { cache } = cacheWithTime(db);
    const thrown = await authenticate(cache, `Bearer ${key}`).catch((error: Error) => error);
    assert(thrown instanceof Error);
    messages.add(JSON.stringify(thrown));
    work.add(JSON.stringify(seen));
    // The lookup is by keyed digest, so timing cannot reveal how much of a key is right.
    assert.deepEqual(queried, [[digestKey(key, pepper)]]);
    await cache.close();
  }
  assert.deepEqual([messages.size, work.size], [1, 1]);
});

function createRecorder() {
  const writes: string[][] = [];
  const state = { broken: false };
  const query = async (_: string, values: readonly unknown[] = []) => {
    if (state.broken) throw new Error('the database is away');
    writes.push([...(values[0] as string[])].sort());
    return { rows: [], rowCount: 0 };
  };
  const time = { ms: 0 };
  const usage = new KeyUsage({ query } as Queryable, { elapsed: () => time.ms });
  return { usage, writes, state, time };
}

test('writes a key again only a minute after the last write', async () => {
  const { usage, writes, time } = createRecorder();
  usage.record('a');
  usage.record('a');
  usage.record('b');
  await usage.flush();
  usage.record('a');
  usage.record('c');
  await usage.flush();
  time.ms += 59_999;
  usage.record('a');
  await usage.flush();
  assert.deepEqual(writes, [['a', 'b'], ['c']]);
  time.ms += 1;
  usage.record('a');
  await usage.close();
  assert.deepEqual(writes.at(-1), ['a']);
});

test('a failed write is repeated by the next flush', async () => {
  const { usage, writes, state } = createRecorder();
  usage.record('a');
  state.broken = true;
  await usage.flush();
  state.broken = false;
  usage.record('b');
  await usage.close();
  assert.deepEqual(writes, [['a', 'b']]);
});
