/** The life of a key: create, verify, use, expire, revoke, close with the account. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiError } from '@vidgen/contract/api-error.ts';
import { useDatabase } from '../../../proof/kit/scratch-database.ts';
import { createAccount } from '../account.ts';
import {
  createApiKey,
  keysChannel,
  listKeys,
  recordKeyUse,
  revokeKey,
  verifyKeys,
} from './api-key.ts';
import { digestKey, keyPepper, parseKeyMode } from './api-key-format.ts';

const pepper = keyPepper('the secret of these tests');
const { db } = await useDatabase();

const newAccount = () => db.transaction((tx) => createAccount(tx, { name: 'holder' }));

type KeyOptions = Partial<Parameters<typeof createApiKey>[1]>;
async function createKey(accountId: string, options: KeyOptions = {}) {
  return db.transaction((tx) =>
    createApiKey(tx, { pepper, accountId, mode: 'live', name: 'a key', ...options }),
  );
}

const works = async (key: string) => {
  const digest = digestKey(key, pepper);
  return (await verifyKeys(db, [digest])).has(digest);
};

const hasErrorCode = (code: string) => (error: unknown) => (error as ApiError).code === code;

test('a created key works, and the database does not contain it', async () => {
  const account = await newAccount();
  const { key, ...shown } = await createKey(account.id, { name: ' production ' });
  assert.equal(parseKeyMode(key), 'live');
  assert.equal(shown.name, 'production');
  assert.deepEqual(shown.permissions, [
    'videos:create',
    'tasks:read',
    'tasks:cancel',
    'tasks:delete',
  ]);
  assert.equal(key.startsWith(shown.prefix) && key.endsWith(shown.lastFour), true);

  const found = await verifyKeys(db, [digestKey(key, pepper), 'f'.repeat(64)]);
  assert.deepEqual(
    [...found.values()],
    [
      {
        identity: {
          keyId: shown.id,
          accountId: account.id,
          mode: 'live',
          permissions: ['videos:create', 'tasks:read', 'tasks:cancel', 'tasks:delete'],
          demo: false,
          createsPerMinuteMax: null,
        },
        isSuspended: false,
        expiresInMs: null,
      },
    ],
  );
  const { rows } = await db.query<{ row: string }>(`select api_keys::text as row from api_keys`);
  for (const { row } of rows) assert.equal(row.includes(key.slice(12, -4)), false);
});

test('a key has exactly the permissions it was given, without duplicates, or none', async () => {
  const account = await newAccount();
  const given = await createKey(account.id, { permissions: ['tasks:read', 'tasks:read'] });
  assert.deepEqual(given.permissions, ['tasks:read']);
  assert.deepEqual((await createKey(account.id, { permissions: [] })).permissions, []);
});

test('a key works until it expires by the database clock', async () => {
  const account = await newAccount();
  const inAnHour = new Date(Date.now() + 3_600_000);
  const { key, expiresAt } = await createKey(account.id, { expiresAt: inAnHour });
  assert.deepEqual(expiresAt, inAnHour);
  const [found] = (await verifyKeys(db, [digestKey(key, pepper)])).values();
  assert.ok(found!.expiresInMs! > 3_500_000 && found!.expiresInMs! <= 3_600_000 + 60_000);

  const expired = await createKey(account.id, { expiresAt: new Date(Date.now() - 1000) });
  assert.equal(await works(expired.key), false);
});

test('a revoked key stops working, and the commit notifies other processes', async () => {
  const { id, key } = await createKey((await newAccount()).id);
  let notifications = 0;
  const notified = Promise.withResolvers<void>();
  const listening = await db.listen(keysChannel, (payload) => {
    if (payload !== id) return;
    notifications += 1;
    notified.resolve();
  });
  const rolledBack = db.transaction(async (tx) => {
    await revokeKey(tx, id);
    throw new Error('changed my mind');
  });
  await assert.rejects(rolledBack, /changed my mind/);
  assert.equal(await works(key), true);

  const revoked = await db.transaction((tx) => revokeKey(tx, id));
  assert.ok(revoked.revokedAt instanceof Date);
  assert.equal(await works(key), false);
  await notified.promise;
  assert.equal(notifications, 1, 'a rolled back revocation notifies no one');
  await listening.stop();

  const again = await db.transaction((tx) => revokeKey(tx, id));
  assert.deepEqual(again.revokedAt, revoked.revokedAt);
  for (const unknown of [`key_${'0'.repeat(22)}`, 'nonsense']) {
    const revoking = db.transaction((tx) => revokeKey(tx, unknown));
    await assert.rejects(revoking, hasErrorCode('not_found'));
  }
});

test('writes the last use at most once per minute and key', async () => {
  const { id: accountId } = await newAccount();
  const { id } = await createKey(accountId);
  const unused = await createKey(accountId);
  const lastUse = async (keyId: string) => {
    const { items } = await listKeys(db, { accountId, limit: 10 });
    return items.find((key) => key.id === keyId)!.lastUsedAt;
  };
  await recordKeyUse(db, [id]);
  const first = await lastUse(id);
  assert.ok(first instanceof Date);
  await recordKeyUse(db, [id]);
  assert.deepEqual(await lastUse(id), first);
  await db.query(`update api_keys set last_used_at = now() - interval '61 seconds' where id = $1`, [
    id,
  ]);
  await recordKeyUse(db, [id]);
  assert.ok((await lastUse(id))! >= first);
  assert.equal(await lastUse(unused.id), null);
});
