/** Guessing gets slower and slower, whoever is right goes on, and nobody is locked out. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import type { Database } from '../database/database.ts';
import { Refusal } from '../refusal.ts';
import { countTry, forgiveTry, type SignInTry, sweepSignInTroubles } from './sign-in-throttle.ts';

let scratch: ScratchDatabase;
let db: Database;
before(async () => {
  scratch = await openScratchDatabase();
  db = scratch.db;
});
after(() => scratch.close());

/** Seconds to wait, or 0 when the try was let through. */
async function attempt(one: SignInTry): Promise<number> {
  try {
    await db.transaction((tx) => countTry(tx, one));
    return 0;
  } catch (error) {
    assert(error instanceof Refusal && error.code === 'rate_limited', String(error));
    assert.match(error.message, /try again in \d+ s/);
    return error.figures.retryAfter!;
  }
}

/** As if it had happened that much earlier. */
const earlier = (seconds: number) =>
  db.query(
    `update sign_in_troubles set last_try_at = last_try_at - $1::int * interval '1 second',
       blocked_until = blocked_until - $1::int * interval '1 second'`,
    [seconds],
  );

let hosts = 0;
const somewhere = () => `10.0.${Math.floor(++hosts / 256)}.${hosts % 256}`;

describe('a person', () => {
  test('has five tries, then waits ever longer, up to a minute, from any network', async () => {
    const waits: number[] = [];
    for (let tries = 0; tries < 14; tries++) {
      // In another case and from elsewhere: it is the same person.
      const email = tries % 2 === 0 ? 'Ada@example.com' : ' ada@EXAMPLE.com ';
      const one = { email, remoteAddress: somewhere() };
      const wait = await attempt(one);
      waits.push(wait);
      if (wait === 0) continue;
      await earlier(wait);
      assert.equal(await attempt(one), 0, 'after the wait the next try counts');
    }
    assert.deepEqual(waits, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test('is not made to wait longer by tries that were refused', async () => {
    const one = { email: 'grace@example.com', remoteAddress: somewhere() };
    for (let tries = 0; tries < 7; tries++) if ((await attempt(one)) > 0) await earlier(1);
    const wait = await attempt(one);
    for (let tries = 0; tries < 10; tries++) assert((await attempt(one)) <= wait);
  });

  test('starts afresh after a right password, and after an hour', async () => {
    const one = { email: 'joan@example.com', remoteAddress: somewhere() };
    for (let tries = 0; tries < 4; tries++) assert.equal(await attempt(one), 0);
    await db.transaction((tx) => forgiveTry(tx, one));
    for (let tries = 0; tries < 5; tries++) assert.equal(await attempt(one), 0);
    assert(await attempt(one));
    await earlier(3601);
    for (let tries = 0; tries < 5; tries++) assert.equal(await attempt(one), 0);
    assert(await attempt(one));
  });

  test('cannot be guessed faster by many tries at once', async () => {
    const email = 'parallel@example.com';
    const tries = Array.from({ length: 40 }, () => attempt({ email, remoteAddress: somewhere() }));
    const waits = await Promise.all(tries);
    assert.equal(waits.filter((wait) => wait === 0).length, 5);
  });
});

describe('a network', () => {
  const strangers = (remoteAddress: (n: number) => string) => async (n: number) =>
    await attempt({ email: `stranger-${hosts}-${n}@example.com`, remoteAddress: remoteAddress(n) });

  test('has thirty tries for whomever, then waits, whatever address of it is used', async () => {
    hosts++;
    const one = strangers((n) => `2001:db8:7:7::${n.toString(16)}`);
    for (let n = 1; n <= 30; n++) assert.equal(await one(n), 0, String(n));
    assert(await one(31));
    hosts++;
    const neighbour = strangers((n) => `2001:db8:7:8::${n.toString(16)}`);
    assert.equal(await neighbour(1), 0);
  });

  test('is one, whether its address comes as IPv4 or inside IPv6', async () => {
    hosts++;
    const mapped = strangers((n) => (n % 2 === 0 ? '192.0.2.9' : '::ffff:192.0.2.9'));
    for (let n = 1; n <= 30; n++) assert.equal(await mapped(n), 0, String(n));
    assert(await mapped(31));
  });

  test('keeps its wrong tries when somebody there is right', async () => {
    const remoteAddress = somewhere();
    const one = strangers(() => remoteAddress);
    for (let n = 1; n <= 29; n++) assert.equal(await one(n), 0);
    const right = { email: 'right@example.com', remoteAddress };
    assert.equal(await attempt(right), 0);
    await db.transaction((tx) => forgiveTry(tx, right));
    assert.equal(await one(30), 0);
    assert(await one(31));
  });
});

test('keeps nobody’s address, and forgets what is old', async () => {
  const { rows } = await db.query<{ scope: string }>('select scope from sign_in_troubles');
  assert(rows.length > 0);
  assert(rows.every(({ scope }) => !scope.includes('@')));
  await earlier(3601);
  await db.transaction((tx) => sweepSignInTroubles(tx));
  assert.equal((await db.query('select 1 from sign_in_troubles')).rows.length, 0);
});
