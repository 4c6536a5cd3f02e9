/** Every installation has one secret, whichever process starts first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { deriveKey, loadSecret, SecretMismatchError } from './installation-secret.ts';

const { db } = await useDatabase();

test('processes that start together get the same secret, and it does not change', async () => {
  const secrets = await Promise.all(Array.from({ length: 8 }, () => loadSecret(db)));
  assert.equal(new Set(secrets).size, 1);
  assert.ok(secrets[0]!.length >= 43);
  assert.equal(await loadSecret(db, null), secrets[0]);
});

test('a configured secret is used without being stored, and another one is rejected', async () => {
  await db.query('delete from settings');
  assert.equal(await loadSecret(db, 'given by the operator'), 'given by the operator');
  assert.equal(await loadSecret(db, 'given by the operator'), 'given by the operator');
  const { rows } = await db.query(`select 1 from settings where value = 'given by the operator'`);
  assert.equal(rows.length, 0);
  await assert.rejects(loadSecret(db, 'another one'), SecretMismatchError);
  await assert.rejects(loadSecret(db), SecretMismatchError);
});

test('each purpose gets its own key', () => {
  assert.equal(deriveKey('secret', 'one').length, 32);
  assert.deepEqual(deriveKey('secret', 'one'), deriveKey('secret', 'one'));
  assert.notDeepEqual(deriveKey('secret', 'one'), deriveKey('secret', 'two'));
  assert.notDeepEqual(deriveKey('secret', 'one'), deriveKey('another', 'one'));
});
