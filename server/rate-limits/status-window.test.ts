/** The window of status queries: exact in a process, shared between processes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import type { Database } from '../database/database.ts';
import { StatusExchange } from './status-exchange.ts';
import { openStatusLimiter, StatusLimiter } from './status-window.ts';

let scratch: ScratchDatabase;
before(async () => {
  scratch = await openScratchDatabase();
});
after(() => scratch.close());

function limiterWithTime(options: { limit: number; windowSeconds?: number; keysMax?: number }) {
  const time = { ms: 5000 };
  return { limiter: new StatusLimiter({ ...options, elapsed: () => time.ms }), time };
}

const admittedOf = (limiter: StatusLimiter, keyId: string, requests: number): number =>
  Array.from({ length: requests }, () => limiter.decide(keyId)).filter(({ admitted }) => admitted)
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
      const admittedAtMs: Record<string, number[]> = { a: [], b: [] };
      for (const { waitMs, keyId } of requests) {
        time.ms += waitMs;
        const stamps = admittedAtMs[keyId]!;
        const live = stamps.filter((at) => at > time.ms - 1000);
        const answer = limiter.decide(keyId);
        assert.equal(answer.admitted, live.length < limit);
        assert.equal(answer.remaining, Math.max(0, limit - live.length - 1));
        if (answer.admitted) stamps.push(time.ms);
        else assert.equal(answer.retryAfterSeconds, 1);
      }
    }),
  );
});

test('a look tells the figures and takes no place', () => {
  const { limiter, time } = limiterWithTime({ limit: 3 });
  const unused = { admitted: true, limit: 3, remaining: 3, resetSeconds: 0 };
  assert.deepEqual(limiter.look(null), unused);
  assert.deepEqual(limiter.look('key'), unused);
  limiter.decide('key');
  time.ms += 20_000;
  const seen = { admitted: true, limit: 3, remaining: 2, resetSeconds: 40 };
  assert.deepEqual(limiter.look('key'), seen);
  assert.deepEqual(limiter.look('key'), seen);
  time.ms += 40_000;
  assert.deepEqual(limiter.look('key'), unused);
});

test('tells how long to wait, and waiting so long is enough', () => {
  const { limiter, time } = limiterWithTime({ limit: 2 });
  assert.deepEqual(limiter.decide('key'), {
    admitted: true,
    limit: 2,
    remaining: 1,
    resetSeconds: 60,
  });
  time.ms += 10_500;
  limiter.decide('key');
  assert.deepEqual(limiter.decide('key'), {
    admitted: false,
    limit: 2,
    remaining: 0,
    resetSeconds: 50,
    retryAfterSeconds: 50,
  });
  time.ms += 49_499;
  assert.equal(limiter.decide('key').admitted, false);
  time.ms += 1;
  assert.equal(limiter.decide('key').admitted, true);
});

test('no limit admits everything', () => {
  const { limiter } = limiterWithTime({ limit: 0 });
  assert.equal(admittedOf(limiter, 'key', 1000), 1000);
});

test('memory is bounded: the key used least recently is forgotten', () => {
  const { limiter, time } = limiterWithTime({ limit: 1, keysMax: 3 });
  for (const keyId of ['a', 'b', 'c']) assert.equal(limiter.decide(keyId).admitted, true);
  assert.equal(limiter.decide('a').admitted, false);
  limiter.decide('d');
  for (const keyId of ['a', 'c', 'd']) assert.equal(limiter.decide(keyId).admitted, false);
  assert.equal(limiter.decide('b').admitted, true);
  time.ms += 60_000;
  for (const keyId of ['a', 'b', 'c']) assert.equal(limiter.decide(keyId).admitted, true);
});

/** Two sides of an exchange, told to exchange by hand. */
function exchangeOn(db: Database) {
  const side = () => {
    const time = { ms: 0 };
    const admitted = new Map<string, number>();
    const heard: { keyId: string; admitted: number; ageMs: number }[] = [];
    const exchange = new StatusExchange(db, {
      windowMs: 60_000,
      elapsed: () => time.ms,
      take: () => {
        const taken = new Map(admitted);
        admitted.clear();
        return taken;
      },
      hear: (keyId, { admitted, atMs }) => heard.push({ keyId, admitted, ageMs: time.ms - atMs }),
    });
    return { exchange, admitted, heard, time };
  };
  return side;
}

test('each process hears once of what the others admitted, never of its own', async () => {
  const side = exchangeOn(scratch.db);
  const [here, there] = [side(), side()];
  here.admitted.set('a', 3).set('b', 1);
  await here.exchange.exchange();
  here.admitted.set('a', 2);
  await here.exchange.exchange();
  await there.exchange.exchange();
  await there.exchange.exchange();
  await here.exchange.exchange();
  assert.deepEqual(there.heard.map(({ keyId, admitted }) => [keyId, admitted]).sort(), [
    ['a', 2],
    ['a', 3],
    ['b', 1],
  ]);
  assert.deepEqual(here.heard, []);

  // A process that starts later hears of the whole window.
  const late = side();
  await late.exchange.start();
  assert.equal(late.heard.length, 3);
  await late.exchange.close();
});

test('after the database was away all is told once, at the age it has by then', async () => {
  await scratch.db.query('delete from status_rounds');
  let trouble: 'away' | 'answer lost' | 'none' = 'away';
  const query: Database['query'] = async (text, values) => {
    if (trouble === 'away') throw new Error('the database is away');
    const answer = await scratch.db.query(text, values);
    if (trouble === 'answer lost') throw new Error('the connection is lost');
    return answer as never;
  };
  const here = exchangeOn({ ...scratch.db, query } as Database)();
  const there = exchangeOn(scratch.db)();
  const admitAt = async (ms: number, keyId: string) => {
    here.time.ms = ms;
    here.admitted.set(keyId, 1);
    await here.exchange.exchange();
  };
  await admitAt(0, 'out of the window by then');
  await admitAt(60_000, 'told ten seconds later');
  trouble = 'answer lost';
  await admitAt(70_000, 'told twice');
  trouble = 'none';
  await admitAt(71_000, 'told at once');
  await there.exchange.exchange();
  assert.deepEqual(
    there.heard.map(({ keyId }) => keyId),
    ['told ten seconds later', 'told twice', 'told at once'],
  );
  assert.ok(there.heard[0]!.ageMs >= 10_000);
});

test('processes share one limit when they have told each other', async () => {
  await scratch.db.query('delete from status_rounds');
  const first = new StatusLimiter({ limit: 10 });
  await first.share(scratch.db);
  assert.equal(admittedOf(first, 'key', 7), 7);
  await first.close();

  const second = new StatusLimiter({ limit: 10 });
  await second.share(scratch.db);
  assert.equal(admittedOf(second, 'key', 7), 3);
  assert.equal(admittedOf(second, 'other', 7), 7);
  await second.close();
});

test('nothing is shared on the embedded engine', async () => {
  await scratch.db.query('delete from status_rounds');
  const limiter = await openStatusLimiter(scratch.db, { limit: 10 });
  admittedOf(limiter, 'key', 5);
  await limiter.close();
  const { rows } = await scratch.db.query('select admitted from status_rounds');
  assert.deepEqual(rows, scratch.db.engine === 'embedded' ? [] : [{ admitted: { key: 5 } }]);
});
