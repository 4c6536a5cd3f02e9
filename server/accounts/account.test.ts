/** Accounts: create, list, close, and rotate webhook secrets. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { ApiError } from '@vidgen/contract/api-error.ts';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import {
  type Account,
  closeAccount,
  createAccount,
  findAccount,
  getAccount,
  rotateWebhookSecret,
  webhookSecrets,
} from './account.ts';
import { listAccounts } from './search-accounts.ts';

let scratch: ScratchDatabase;
before(async () => {
  scratch = await openScratchDatabase();
});
after(() => scratch.close());

const create = (name: string): Promise<Account> =>
  scratch.db.transaction((tx) => createAccount(tx, { name }));

const hasErrorCode = (code: string) => (error: unknown) => (error as ApiError).code === code;

test('reads an account back as it was created', async () => {
  const { db } = scratch;
  const account = await db.transaction((tx) =>
    createAccount(tx, { name: '  Ünïted Pictures ', demo: true }),
  );
  assert.equal(account.name, 'Ünïted Pictures');
  assert.equal(account.demo, true);
  assert.equal(account.closedAt, null);
  assert.ok(account.createdAt instanceof Date);
  assert.match(account.webhookSecret, /^whsec_/);
  const secretBytes = Buffer.from(account.webhookSecret.slice('whsec_'.length), 'base64');
  assert.equal(secretBytes.length, 32);
  assert.deepEqual(await getAccount(db, account.id), account);
  assert.deepEqual(await findAccount(db, account.id), account);
  assert.equal((await create('plain')).demo, false);
});

test('rejects a name that is empty, too long or unprintable', async () => {
  for (const name of ['', '   ', 'x'.repeat(201), 'a\u0000b', 'a\nb', 'half \ud800']) {
    await assert.rejects(create(name), hasErrorCode('invalid_request'), JSON.stringify(name));
  }
  assert.equal((await create('🎬'.repeat(100))).name.length, 200);
});

test('an unknown or malformed id is not_found', async () => {
  const { db } = scratch;
  for (const id of [randomUUID(), 'nonsense', '', "'; drop table accounts; --"]) {
    assert.equal(await findAccount(db, id), null);
    await assert.rejects(getAccount(db, id), hasErrorCode('not_found'));
    const close = db.transaction((tx) => closeAccount(tx, id));
    await assert.rejects(close, hasErrorCode('not_found'));
    const rotate = db.transaction((tx) => rotateWebhookSecret(tx, id, { keepPreviousSeconds: 1 }));
    await assert.rejects(rotate, hasErrorCode('not_found'));
  }
});

test('pages list every account once, newest first', async () => {
  const { db } = scratch;
  // Both have the same created_at, so the id decides their order.
  const twins = await db.transaction(async (tx) => [
    await createAccount(tx, { name: 'twin' }),
    await createAccount(tx, { name: 'twin' }),
  ]);
  const newest = await create('newest');
  const all = (await listAccounts(db, { limit: 100 })).items;
  assert.deepEqual(all[0], { ...newest, lastTaskId: null });
  assert.deepEqual(
    new Set(all.slice(1, 3).map(({ id }) => id)),
    new Set(twins.map(({ id }) => id)),
  );

  const paged: Account[] = [];
  let cursor: string | undefined;
  do {
    const page = await listAccounts(db, { cursor, limit: 2 });
    assert.ok(page.items.length > 0);
    paged.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(paged, all);
  await assert.rejects(
    listAccounts(db, { cursor: 'made up', limit: 2 }),
    hasErrorCode('invalid_request'),
  );
});

test('closing twice keeps the first closing time', async () => {
  const { db } = scratch;
  const { id } = await create('to be closed');
  const closed = await db.transaction((tx) => closeAccount(tx, id));
  assert.ok(closed.closedAt instanceof Date);
  const again = await db.transaction((tx) => closeAccount(tx, id));
  assert.deepEqual(again.closedAt, closed.closedAt);
});

test('after a rotation both secrets sign until the overlap ends', async () => {
  const { db } = scratch;
  const { id, webhookSecret: first } = await create('rotating');
  assert.deepEqual(await webhookSecrets(db, id), [first]);

  const rotate = (keepPreviousSeconds: number) =>
    db.transaction((tx) => rotateWebhookSecret(tx, id, { keepPreviousSeconds }));
  const { webhookSecret: second } = await rotate(3600);
  assert.notEqual(second, first);
  assert.deepEqual(await webhookSecrets(db, id), [second, first]);

  await db.query(`update accounts set previous_secret_until = now() where id = $1`, [id]);
  assert.deepEqual(await webhookSecrets(db, id), [second]);

  const { webhookSecret: third } = await rotate(0);
  assert.deepEqual(await webhookSecrets(db, id), [third]);
});
