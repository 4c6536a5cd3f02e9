/** Guessing passwords gets slower, correct passwords keep working, and no one is locked out. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { useDatabase } from '../../../proof/kit/scratch-database.ts';
import { monotonicMs } from '../../process/clock.ts';
import {
  clearPasswordAttempt,
  countPasswordAttempt,
  deleteOldSignInFailures,
  type PasswordAttempt,
} from './sign-in-throttle.ts';

const { db } = await useDatabase();

/** Returns the seconds to wait, or 0 if the attempt was allowed. */
async function attempt(one: PasswordAttempt): Promise<number> {
  try {
    await db.transaction((tx) => countPasswordAttempt(tx, one));
    return 0;
  } catch (error) {
    assert(error instanceof ApiError && error.code === 'rate_limited', String(error));
    assert.match(error.message, /try again in \d+ s/);
    return error.details.retryAfter!;
  }
}

const shiftBack = (seconds: number) =>
  db.query(
    `update sign_in_troubles set last_try_at = last_try_at - $1::int * interval '1 second',
       blocked_until = blocked_until - $1::int * interval '1 second'`,
    [seconds],
  );

let hosts = 0;
const newHost = () => `10.0.${Math.floor(++hosts / 256)}.${hosts % 256}`;

describe('a person', () => {
  test('has five attempts from a network, then waits longer, up to a minute', async () => {
    const waits: number[] = [];
    const remoteAddress = newHost();
    for (let attempts = 0; attempts < 14; attempts++) {
      // The same person in another case.
      const email = attempts % 2 === 0 ? 'Ada@example.com' : ' ada@EXAMPLE.com ';
      const one = { email, remoteAddress };
      const wait = await attempt(one);
      waits.push(wait);
      if (wait === 0) continue;
      await shiftBack(wait);
      assert.equal(await attempt(one), 0, 'after the wait the next try counts');
    }
    assert.deepEqual(waits, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test('does not wait longer because of rejected attempts', async () => {
    const one = { email: 'grace@example.com', remoteAddress: newHost() };
    for (let attempts = 0; attempts < 7; attempts++)
      if ((await attempt(one)) > 0) await shiftBack(1);
    const wait = await attempt(one);
    for (let attempts = 0; attempts < 10; attempts++) assert((await attempt(one)) <= wait);
  });

  test('starts over after a correct password and after an hour', async () => {
    const one = { email: 'joan@example.com', remoteAddress: newHost() };
    for (let attempts = 0; attempts < 4; attempts++) assert.equal(await attempt(one), 0);
    await db.transaction((tx) => clearPasswordAttempt(tx, one));
    for (let attempts = 0; attempts < 5; attempts++) assert.equal(await attempt(one), 0);
    assert(await attempt(one));
    await shiftBack(3601);
    for (let attempts = 0; attempts < 5; attempts++) assert.equal(await attempt(one), 0);
    assert(await attempt(one));
  });

  test('cannot be guessed faster with concurrent attempts', async () => {
    const one = { email: 'parallel@example.com', remoteAddress: newHost() };
    const startedMs = monotonicMs();
    const waits = await Promise.all(Array.from({ length: 40 }, () => attempt(one)));
    const allowed = waits.filter((wait) => wait === 0).length;
    // On a busy machine the attempts take longer than the first waits of 1, 2 and 4 s.
    const seconds = (monotonicMs() - startedMs) / 1000;
    assert(allowed >= 5 && allowed <= 5 + Math.floor(Math.log2(seconds + 1)), `${allowed}`);
  });
});

describe('a person whose email address others know', () => {
  const email = 'target@example.com';

  test('has a thousand attempts an hour from all networks; known devices are exempt', async () => {
    await attempt({ email, remoteAddress: newHost() });
    await db.query(
      `update sign_in_troubles set blocked_until = now() + interval '3594 seconds'
        where scope like 'person %'`,
    );
    assert.equal(await attempt({ email, remoteAddress: newHost() }), 0);
    const stranger = { email, remoteAddress: newHost() };
    const wait = await attempt(stranger);
    assert(wait >= 1 && wait <= 4, String(wait));
    assert.equal(await attempt({ ...stranger, knownDevice: 'device-1' }), 0);
    await shiftBack(wait);
    assert.equal(await attempt(stranger), 0);
  });
});

describe('a network', () => {
  const others = (remoteAddress: (n: number) => string) => async (n: number) =>
    await attempt({ email: `stranger-${hosts}-${n}@example.com`, remoteAddress: remoteAddress(n) });

  test('has thirty attempts for any people, then waits, from any address in it', async () => {
    hosts++;
    const one = others((n) => `2001:db8:7:7::${n.toString(16)}`);
    for (let n = 1; n <= 30; n++) assert.equal(await one(n), 0, String(n));
    assert(await one(31));
    hosts++;
    const neighbor = others((n) => `2001:db8:7:8::${n.toString(16)}`);
    assert.equal(await neighbor(1), 0);
  });

  test('keeps its failed attempts when a person there signs in', async () => {
    const remoteAddress = newHost();
    const one = others(() => remoteAddress);
    for (let n = 1; n <= 29; n++) assert.equal(await one(n), 0);
    const right = { email: 'right@example.com', remoteAddress };
    assert.equal(await attempt(right), 0);
    await db.transaction((tx) => clearPasswordAttempt(tx, right));
    assert.equal(await one(30), 0);
    assert(await one(31));
  });
});

test('stores no email address and deletes old rows', async () => {
  const { rows } = await db.query<{ scope: string }>('select scope from sign_in_troubles');
  assert(rows.length > 0);
  assert(rows.every(({ scope }) => !scope.includes('@')));
  await shiftBack(3601);
  await db.transaction((tx) => deleteOldSignInFailures(tx));
  assert.equal((await db.query('select 1 from sign_in_troubles')).rows.length, 0);
});
