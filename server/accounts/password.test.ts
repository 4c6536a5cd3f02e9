/** Hashes that others can read, wrong passwords refused, strangers told nothing, few at once. */
import assert from 'node:assert/strict';
import { argon2Sync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ApiError } from '../api-error.ts';
import { hashPassword, verifyPassword } from './password.ts';

const password = 'a boat of folded paper';

function weakHash(of: string, cost = { memory: 8, passes: 1, parallelism: 1 }): string {
  const nonce = randomBytes(16);
  const tag = argon2Sync('argon2id', { ...cost, message: of, nonce, tagLength: 32 });
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const { memory, passes, parallelism } = cost;
  const costs = `m=${memory},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${costs}$${unpadded(nonce)}$${unpadded(tag)}`;
}

test('writes PHC form with the values of OWASP, another salt each time', async () => {
  const [first, second] = [await hashPassword(password), await hashPassword(password)];
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(first, second);
  for (const stored of [first, second]) {
    const verdict = await verifyPassword(password, stored);
    assert.deepEqual(verdict, { isCorrect: true, isOutdated: false });
  }
  assert.equal((await verifyPassword(`${password} `, first)).isCorrect, false);
});

test('the same characters in another composition are the same password', async () => {
  const stored = await hashPassword('caf\u00e9 au lait');
  assert.equal((await verifyPassword('cafe\u0301 au lait', stored)).isCorrect, true);
});

test('whoever does not exist has no right password', async () => {
  assert.equal((await verifyPassword(password, null)).isCorrect, false);
});

test('a hash made with less is right, and to be made anew', async () => {
  const verdict = await verifyPassword(password, weakHash(password));
  assert.deepEqual(verdict, { isCorrect: true, isOutdated: true });
});

test('takes four at once and a hundred in line; the next is told to come back', async () => {
  const stored = weakHash(password);
  const requests = 4 + 100;
  const slots = Array.from({ length: requests }, () => verifyPassword(password, stored));
  await assert.rejects(verifyPassword(password, stored), (error) => {
    assert(error instanceof ApiError);
    assert.equal(error.code, 'rate_limited');
    return true;
  });
  const verdicts = await Promise.all(slots);
  assert.equal(verdicts.filter(({ isCorrect }) => isCorrect).length, requests);
  assert.equal((await verifyPassword(password, stored)).isCorrect, true);
});
