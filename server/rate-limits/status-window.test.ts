/** The window of status requests: exact in a process, shared between processes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import type { Database } from '../database/database.ts';
import { StatusSync } from './status-sync.ts';
import { openStatusLimiter, StatusLimiter } from './status-window.ts';

const { db } = await useDatabase();

function limiterWithTime(options: { limit: number; windowSeconds?: number; keysMax?: number }) {
  const time = { ms: 5000 };
  return { limiter: new StatusLimiter({ ...options, elapsed: () => time.ms }), time };
}

const countAllowed = (limiter: StatusLimiter, keyId: string, requests: number): number =>
  Array.from({ length: requests }, () => limiter.consume(keyId)).filter(({ allowed }) => allowed)
    .length;

test('agrees with a model that remembers everything', () => {
  const steps = fc.array(
    fc.record({
      waitMs: fc.oneof(fc.integer({ min: 0, max: 900 }), fc.constantFrom(0, 1, 999, 1000, 1001)),
      keyId: fc.constantFrom('a', 'b'),
    }),
    { maxLength: 300 },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), steps, (limit, requests) => {
      const { limiter, time } = limiterWithTime({ limit, windowSeconds: 1 });
      const allowedAtMs: Record<string, number[]> = { a: [], b: [] };
      for (const { waitMs, keyId } of requests) {
        time.ms += waitMs;
        const stamps = allowedAtMs[keyId]!;
        const live = stamps.filter((at) => at > time.ms - 1000);
        const result = limiter.consume(keyId);
        assert.equal(result.allowed, live.length < limit);
        assert.equal(result.remaining, Math.max(0, limit - live.length - 1));
        if (result.allowed) stamps.push(time.ms);
        else assert.equal(result.retryAfterSeconds, 1);
      }
    }),
  );
});

test('reports how long to wait, which is enough, and peeking counts nothing', () => {
  const { limiter, time } = limiterWithTime({ limit: 2 });
  const allowed = { allowed: true, limit: 2, resetSeconds: 60 };
  assert.deepEqual(limiter.peek('key'), { ...allowed, remaining: 2, resetSeconds: 0 });
  assert.deepEqual(limiter.consume('key'), { ...allowed, remaining: 1, stamp: 5000 });
  time.ms += 10_500;
  assert.deepEqual(limiter.peek('key'), { ...allowed, remaining: 1, resetSeconds: 50 });
  limiter.consume('key');
  const figures = { limit: 2, remaining: 0, resetSeconds: 50, retryAfterSeconds: 50 };
  assert.deepEqual(limiter.consume('key'), { allowed: false, ...figures });
  time.ms += 49_499;
  assert.equal(limiter.consume('key').allowed, false);
  time.ms += 1;
  assert.equal(limiter.consume('key').allowed, true);
  assert.equal(countAllowed(limiterWithTime({ limit: 0 }).limiter, 'key', 1000), 1000);
});

test('memory is bounded: the least recently used key is evicted', () => {
  const { limiter, time } = limiterWithTime({ limit: 1, keysMax: 3 });
  for (const keyId of ['a', 'b', 'c']) assert.equal(limiter.consume(keyId).allowed, true);
  assert.equal(limiter.consume('a').allowed, false);
  limiter.consume('d');
  for (const keyId of ['a', 'c', 'd']) assert.equal(limiter.consume(keyId).allowed, false);
  assert.equal(limiter.consume('b').allowed, true);
  time.ms += 60_000;
  for (const keyId of ['a', 'b', 'c']) assert.equal(limiter.consume(keyId).allowed, true);
});

/** One side of the exchange; the test triggers each round. */
function syncOn(db: Database) {
  const side = () => {
    const time = { ms: 0 };
    const allowed = new Map<string, number>();
    const received: { keyId: string; allowed: number; ageMs: number }[] = [];
    const statusSync = new StatusSync(db, {
      windowMs: 60_000,
      elapsed: () => time.ms,
      drainUnsent: () => {
        const drained = new Map(allowed);
        allowed.clear();
        return drained;
      },
      onRemoteCount: (keyId, { allowed, atMs }) =>
        received.push({ keyId, allowed, ageMs: time.ms - atMs }),
    });
    return { statusSync, allowed, received, time };
  };
  return side;
}

test('each process receives the counts of the others once and never its own', async () => {
  const side = syncOn(db);
  const here = side();
  const there = side();
  here.allowed.set('a', 3).set('b', 1);
  await here.statusSync.sync();
  here.allowed.set('a', 2);
  await here.statusSync.sync();
  await there.statusSync.sync();
  await there.statusSync.sync();
  await here.statusSync.sync();
  assert.deepEqual(there.received.map(({ keyId, allowed }) => [keyId, allowed]).sort(), [
    ['a', 2],
    ['a', 3],
    ['b', 1],
  ]);
  assert.deepEqual(here.received, []);

  // A process that starts later receives the whole window.
  const late = side();
  await late.statusSync.start();
  assert.equal(late.received.length, 3);
  await late.statusSync.close();
});

test('after a database outage every count is shared once, with its age', async () => {
  await db.query('delete from status_rounds');
  let fault: 'unreachable' | 'response lost' | 'none' = 'unreachable';
  const query: Database['query'] = async (text, values) => {
    if (fault === 'unreachable') throw new Error('the database is away');
    const result = await db.query(text, values);
    if (fault === 'response lost') throw new Error('the connection is lost');
    return result as never;
  };
  const here = syncOn({ ...db, query } as Database)();
  const there = syncOn(db)();
  const allowAt = async (ms: number, keyId: string) => {
    here.time.ms = ms;
    here.allowed.set(keyId, 1);
    await here.statusSync.sync();
  };
  await allowAt(0, 'out of the window by then');
  await allowAt(60_000, 'shared ten seconds later');
  fault = 'response lost';
  await allowAt(70_000, 'shared twice');
  fault = 'none';
  await allowAt(71_000, 'shared at once');
  await there.statusSync.sync();
  assert.deepEqual(
    there.received.map(({ keyId }) => keyId),
    ['shared ten seconds later', 'shared twice', 'shared at once'],
  );
  assert.ok(there.received[0]!.ageMs >= 10_000);
});

test('processes share one limit after they have synced', async () => {
  await db.query('delete from status_rounds');
  const first = new StatusLimiter({ limit: 10 });
  await first.share(db);
  assert.equal(countAllowed(first, 'key', 7), 7);
  await first.close();

  const second = new StatusLimiter({ limit: 10 });
  await second.share(db);
  assert.equal(countAllowed(second, 'key', 7), 3);
  assert.equal(countAllowed(second, 'other', 7), 7);
  await second.close();
});

test('a request that is uncounted leaves the others, here and in other processes', async () => {
  await db.query('delete from status_rounds');
  const here = new StatusLimiter({ limit: 3 });
  const there = new StatusLimiter({ limit: 3 });
  await here.share(db);
  const stamps = [here.consume('key'), here.consume('key')].map((result) => {
    assert(result.allowed);
    return result.stamp!;
  });
  here.release('key', stamps[0]!);
  here.release('key', stamps[0]! - 1);
  assert.equal(here.peek('key').remaining, 2);
  await here.close();
  here.release('key', stamps[1]!);
  await here.close();
  await there.share(db);
  assert.equal(there.peek('key').remaining, 3);
  await there.close();
});

test('the only process shares nothing', async () => {
  for (const isOnlyProcess of [true, false]) {
    await db.query('delete from status_rounds');
    const limiter = await openStatusLimiter(db, { limit: 10, isOnlyProcess });
    countAllowed(limiter, 'key', 5);
    await limiter.close();
    const { rows } = await db.query('select admitted from status_rounds');
    assert.deepEqual(rows, isOnlyProcess ? [] : [{ admitted: { key: 5 } }]);
  }
});
