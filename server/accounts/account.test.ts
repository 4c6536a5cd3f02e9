/** Accounts: create, close, and rotate webhook secrets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import {
  type Account,
  closeAccount,
  createAccount,
  rotateWebhookSecret,
  webhookSecrets,
} from './account.ts';

const { db } = await useDatabase();

const create = (name: string): Promise<Account> =>
  db.transaction((tx) => createAccount(tx, { name }));

test('closing twice keeps the first closing time', async () => {
  const { id } = await create('to be closed');
  const closed = await db.transaction((tx) => closeAccount(tx, id));
  assert.ok(closed.closedAt instanceof Date);
  const again = await db.transaction((tx) => closeAccount(tx, id));
  assert.deepEqual(again.closedAt, closed.closedAt);
});

test('after a rotation both secrets sign until the overlap ends', async () => {
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
