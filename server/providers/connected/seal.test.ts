/** Credentials in the database are encrypted, and cannot be changed or moved. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createCredentialSeal } from './seal.ts';

const key = randomBytes(32);
const seal = createCredentialSeal(key);

test('returns what was encrypted, differently each time', () => {
  const one = seal.seal('sk-secret', 'fal db_1');
  const other = seal.seal('sk-secret', 'fal db_1');
  assert.notEqual(one.sealed, other.sealed);
  for (const sealed of [one, other]) {
    assert.equal(seal.open(sealed, 'fal db_1'), 'sk-secret');
    assert.ok(!Buffer.from(sealed.sealed, 'base64').includes('sk-secret'));
  }
});

test('rejects a changed text, and one of another provider', () => {
  const { keyId, sealed } = seal.seal('sk-secret', 'fal db_1');
  const bytes = Buffer.from(sealed, 'base64');
  for (const at of [0, 12, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    assert.throws(() => seal.open({ keyId, sealed: changed.toString('base64') }, 'fal db_1'));
  }
  assert.throws(() => seal.open({ keyId, sealed: '' }, 'fal db_1'));
  assert.throws(() => seal.open({ keyId, sealed }, 'ark db_1'));
});

test('says that another VIDGEN_SECRET was used, and that the key must be entered again', () => {
  const other = createCredentialSeal(randomBytes(32));
  assert.throws(
    () => other.open(seal.seal('sk-secret', 'fal db_1'), 'fal db_1'),
    /another VIDGEN_SECRET; enter it again/,
  );
  assert.equal(createCredentialSeal(key).keyId, seal.keyId);
});
