/**
 * The exact window of docs/spec.md 8 against a model: several processes, restarts, and the real
 * clock.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import type { Database, Transaction } from '../database/database.ts';
import { openPostgres } from '../database/postgres.ts';
import { CreateLimiter } from './create-limiter.ts';
import type { RateLimitResult } from './rate-limit-result.ts';
import { sweepRateWindows } from './sweep-windows.ts';

let scratch: ScratchDatabase;
/** As of three processes. */
let processes: Database[];
before(async () => {
  scratch = await openScratchDatabase();
  const { db, url } = scratch;
  processes = [db, await openPostgres(url), await openPostgres(url)];
  // Controls the time: this function shadows the database's own.
  await db.query(`
    create schema standstill;
    create table standstill.clock (at timestamptz not null);
    insert into standstill.clock values ('2030-01-01T00:00:00Z');
    create function standstill.clock_timestamp() returns timestamptz language sql stable
      as 'select at from standstill.clock';`);
});
after(async () => {
  for (const db of processes.slice(1)) await db.close();
  await scratch.close();
});

type Run = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
const runOn =
  (db: Database): Run =>
  (work) =>
    db.transaction(work);
const standstillOn =
  (db: Database): Run =>
  (work) =>
    db.transaction(async (tx) => {
      await tx.query('set local search_path to standstill, pg_catalog, public');
      return work(tx);
    });

/** Moves the database's time and returns a clock for the limiters that moves with it. */
async function timeTravel() {
  const startMs = Date.UTC(2030, 0, 1);
  const time = { ms: 0 };
  const setTo = async (ms: number) => {
    time.ms = ms;
    const at = new Date(startMs + ms).toISOString();
    await scratch.db.query('update standstill.clock set at = $1::timestamptz', [at]);
  };
  await scratch.db.query('delete from create_windows');
  await setTo(0);
  return { setTo, time, elapsed: () => time.ms };
}

const step = fc.record({
  waitMs: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.constantFrom(0, 1, 999, 1000, 1001)),
  /** Process and key, in order of arrival. */
  requests: fc.array(fc.tuple(fc.nat(3), fc.constantFrom('a', 'b', 'c')), { maxLength: 12 }),
  restart: fc.boolean(),
});

test('any number of processes admit exactly what a model of one window admits', async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 1, max: 2 }),
    fc.array(step, { maxLength: 12 }),
    async (limit, windowSeconds, steps) => {
      const { setTo, time, elapsed } = await timeTravel();
      const start = (at: number) => {
        const run = standstillOn(processes[at % processes.length]!);
        return new CreateLimiter({ run, limit, windowSeconds, elapsed });
      };
      const limiters = [0, 1, 2, 3].map(start);
      const allowedAtMs = new Map<string, number[]>([
        ['a', []],
        ['b', []],
        ['c', []],
      ]);
      for (const { waitMs, requests, restart } of steps) {
        await setTo(time.ms + waitMs);
        if (restart) limiters[waitMs % 4] = start(waitMs % 4);
        const results = await Promise.all(
          requests.map(([at, keyId]) => limiters[at]!.consume(keyId)),
        );
        for (const [keyId, stamps] of allowedAtMs) {
          const live = stamps.filter((at) => at > time.ms - windowSeconds * 1000).length;
          const mine = results.filter((_, at) => requests[at]![1] === keyId);
          const allowed = mine.filter((result) => result.allowed).length;
          // Neither one too many nor one too few, whichever process decided and whatever was
          // restarted.
          assert.equal(allowed, Math.min(mine.length, limit - live));
          stamps.push(...Array<number>(allowed).fill(time.ms));
        }
        for (const at of limiters.keys()) assertArrivalOrder(requests, results, at);
      }
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

/** Within a process no later request is admitted ahead of an earlier one. */
function assertArrivalOrder(
  requests: readonly (readonly [number, string])[],
  results: readonly RateLimitResult[],
  process: number,
): void {
  const denied = new Set<string>();
  for (const [at, [processIndex, keyId]] of requests.entries()) {
    if (processIndex !== process) continue;
    if (!results[at]!.allowed) denied.add(keyId);
    else assert.equal(denied.has(keyId), false);
  }
}

test('waiting exactly retryAfter is enough, a millisecond less is not', async () => {
  const { setTo, elapsed } = await timeTravel();
  const run = standstillOn(scratch.db);
  const limiter = new CreateLimiter({ run, limit: 2, elapsed });
  await limiter.consume('key');
  await setTo(10_500);
  assert.deepEqual(await limiter.consume('key'), {
    allowed: true,
    limit: 2,
    remaining: 0,
    resetSeconds: 50,
    stamp: (Date.UTC(2030, 0, 1) + 10_500) * 1000,
  });
  const figures = { limit: 2, remaining: 0, resetSeconds: 50, retryAfterSeconds: 50 };
  assert.deepEqual(await limiter.consume('key'), { allowed: false, ...figures });
  // From memory, and from the database through another process.
  await setTo(59_999);
  for (const current of [limiter, new CreateLimiter({ run, limit: 2, elapsed })]) {
    const { retryAfterSeconds } = (await current.consume('key')) as { retryAfterSeconds: number };
    assert.equal(retryAfterSeconds, 1);
  }
  await setTo(60_000);
  assert.equal((await limiter.consume('key')).allowed, true);
  assert.equal((await limiter.consume('key')).allowed, false);
  await setTo(70_500);
  assert.equal((await limiter.consume('key')).allowed, true);
});

test('by the real clock no window ever holds more than the limit', {
  timeout: 60_000,
}, async () => {
  const { db } = scratch;
  const limit = 7;
  const windowSeconds = 0.15;
  await db.query('delete from create_windows');
  await db.query(`
    create table admissions (key_id text, at bigint);
    create function log_admissions() returns trigger language plpgsql as $$
    begin
      insert into admissions select new.key_id, stamp from unnest(new.stamps) as stamp
        where stamp > coalesce(old.stamps[cardinality(old.stamps)], 0);
      return null;
    end $$;
    create trigger log_admissions after update on create_windows
      for each row execute function log_admissions();`);
  const limiters = processes.flatMap((process) => {
    const options = { run: runOn(process), limit, windowSeconds };
    return [new CreateLimiter(options), new CreateLimiter(options)];
  });
  let allowed = 0;
  const enough = 16 * limit; // Both keys' windows are filled eight times.
  const client = async (limiter: CreateLimiter, keyId: string) => {
    while (allowed < enough) {
      if ((await limiter.consume(keyId)).allowed) allowed += 1;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
    }
  };
  const sweeper = async () => {
    while (allowed < enough) {
      await db.transaction((tx) => sweepRateWindows(tx, { windowSeconds }));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    }
  };
  const clients = limiters.flatMap((limiter) =>
    ['a', 'b', 'a', 'b', 'a'].map((keyId) => client(limiter, keyId)),
  );
  await Promise.all([...clients, sweeper()]);
  await db.query('drop trigger log_admissions on create_windows');

  const { rows } = await db.query<{ key_id: string; at: number }>(
    'select key_id, at from admissions order by key_id, at',
  );
  assert.equal(rows.length, allowed);
  for (const [at, { key_id, at: stamp }] of rows.entries()) {
    const earlier = rows[at - limit];
    if (earlier?.key_id === key_id) assert.ok(stamp - earlier.at >= windowSeconds * 1e6);
  }
});

test('concurrent requests cost one transaction, and denied ones none', async () => {
  const { setTo, elapsed } = await timeTravel();
  let transactions = 0;
  const run: Run = (work) => {
    transactions += 1;
    return standstillOn(scratch.db)(work);
  };
  const limiter = new CreateLimiter({ run, limit: 3, elapsed });
  const keys = Array.from({ length: 50 }, (_, at) => `key-${at % 5}`);
  const results = await Promise.all(keys.map((keyId) => limiter.consume(keyId)));
  assert.equal(results.filter(({ allowed }) => allowed).length, 15);
  assert.equal(transactions, 1);
  await setTo(30_000);
  for (const keyId of keys) assert.equal((await limiter.consume(keyId)).allowed, false);
  assert.equal(transactions, 1);
});

test('peek returns the current values and counts nothing', async () => {
  const { setTo, elapsed } = await timeTravel();
  const limiter = new CreateLimiter({ run: standstillOn(scratch.db), limit: 3, elapsed });
  const empty = { allowed: true, limit: 3, remaining: 3, resetSeconds: 0 };
  assert.deepEqual(await limiter.peek(null), empty);
  assert.deepEqual(await limiter.peek('key'), empty);
  await limiter.consume('key');
  await setTo(20_000);
  const peeked = { allowed: true, limit: 3, remaining: 2, resetSeconds: 40 };
  assert.deepEqual(await limiter.peek('key'), peeked);
  assert.deepEqual(await limiter.peek('key'), peeked);
  await setTo(60_000);
  assert.deepEqual(await limiter.peek('key'), empty);
});

test('without a limit no query is made', async () => {
  const run: Run = () => Promise.reject(new Error('asked'));
  const limiter = new CreateLimiter({ run, limit: 0 });
  assert.deepEqual(await limiter.consume('key'), {
    allowed: true,
    limit: 0,
    remaining: 0,
    resetSeconds: 0,
  });
});

test('without the database it throws and neither allows nor denies', async () => {
  const run: Run = () => Promise.reject(new Error('the database is away'));
  const limiter = new CreateLimiter({ run, limit: 5 });
  await assert.rejects(limiter.consume('key'), /the database is away/);
});
