/** Password hashes in a standard format, verification, and bounded concurrency. */
import assert from 'node:assert/strict';
import { argon2Sync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { hashPassword, verifyPassword } from './password.ts';

const password = 'a boat of folded paper';
const verify = (given: string, stored: string | null) =>
  verifyPassword(given, stored, { isKnown: false });

function weakHash(of: string, cost = { memory: 8, passes: 1, parallelism: 1 }): string {
  const nonce = randomBytes(16);
  const tag = argon2Sync('argon2id', { ...cost, message: of, nonce, tagLength: 32 });
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const { memory, passes, parallelism } = cost;
  const costs = `m=${memory},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${costs}$${unpadded(nonce)}$${unpadded(tag)}`;
}

test('writes PHC strings with OWASP’s parameters and a new salt each time', async () => {
  const first = await hashPassword(password);
  const second = await hashPassword(password);
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(first, second);
  for (const stored of [first, second]) {
    const verdict = await verify(password, stored);
    assert.deepEqual(verdict, { isCorrect: true, isOutdated: false });
  }
  assert.equal((await verify(`${password} `, first)).isCorrect, false);
});

test('the same characters in another Unicode composition are the same password', async () => {
  const stored = await hashPassword('caf\u00e9 au lait');
  assert.equal((await verify('cafe\u0301 au lait', stored)).isCorrect, true);
});

test('no password is correct for a person who does not exist', async () => {
  assert.equal((await verify(password, null)).isCorrect, false);
});

test('a hash with weaker parameters is correct and outdated', async () => {
  const verdict = await verify(password, weakHash(password));
  assert.deepEqual(verdict, { isCorrect: true, isOutdated: true });
});

test('hashes three at once for strangers and queues a hundred, but not before others', async () => {
  const stored = weakHash(password);
  const requests = 3 + 100;
  const slots = Array.from({ length: requests }, () => verify(password, stored));
  let isFirst = true;
  slots.at(-1)!.then(() => {
    isFirst = false;
  });
  await assert.rejects(verify(password, stored), (error) => {
    assert(error instanceof ApiError);
    assert.equal(error.code, 'rate_limited');
    return true;
  });
  assert((await verifyPassword(password, stored, { isKnown: true })).isCorrect && isFirst);
  const verdicts = await Promise.all(slots);
  assert.equal(verdicts.filter(({ isCorrect }) => isCorrect).length, requests);
  assert.equal((await verify(password, stored)).isCorrect, true);
});
