/**
 * The exact window of docs/spec.md 8 against a model: several processes and restarts.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openScratchDatabase } from '../../proof/kit/scratch-database.ts';
import type { Database, Transaction } from '../database/database.ts';
import { openPostgres } from '../database/postgres.ts';
import { CreateLimiter } from './create-limiter.ts';
import {
  computeWindowUpdate,
  consumeCreates,
  releaseCreate,
  sweepRateWindows,
} from './create-window.ts';
import type { RateLimitResult } from './rate-limit-result.ts';

const scratch = await openScratchDatabase();
/** The databases of three processes. */
const processes = [scratch.db, await openPostgres(scratch.url), await openPostgres(scratch.url)];
// Controls the time: this function shadows the database's own.
await scratch.db.query(`
  create schema standstill;
  create table standstill.clock (at timestamptz not null);
  insert into standstill.clock values ('2030-01-01T00:00:00Z');
  create function standstill.clock_timestamp() returns timestamptz language sql stable
    as 'select at from standstill.clock';`);
after(async () => {
  for (const db of processes.slice(1)) await db.close();
  await scratch.close();
});

type Run = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
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
  // One reads memory, the other the database through another process.
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

test('without a limit nothing is asked; without the database nothing is decided', async () => {
  const run: Run = () => Promise.reject(new Error('the database is away'));
  const figures = { limit: 0, remaining: 0, resetSeconds: 0 };
  const unlimited = new CreateLimiter({ run, limit: 0 });
  assert.deepEqual(await unlimited.consume('key'), { allowed: true, ...figures });
  await assert.rejects(new CreateLimiter({ run, limit: 5 }).consume('key'), /database is away/);
});

const second = 1e6;

test('a lowered limit denies until enough requests have left the window', () => {
  const stamps = [1, 2, 3, 4, 5].map((at) => at * second);
  const rules = { limit: 2, windowSeconds: 60, requests: 1 };
  const update = computeWindowUpdate({ stamps, nowUs: 6 * second }, rules);
  // There is room once only the newest is left.
  assert.deepEqual([update.allowed, update.decisions[0]!.resetInMs], [0, 58_000]);
});

test('a clock set back slightly admits nothing early, one set back far blocks no one', () => {
  const rules = { limit: 2, windowSeconds: 60, requests: 3 };
  const stamps = [100 * second, 110 * second];
  const little = computeWindowUpdate({ stamps, nowUs: 105 * second }, rules);
  assert.equal(little.allowed, 0);
  assert.equal(little.decisions[0]!.resetInMs, 55_000);
  const ordered = computeWindowUpdate({ stamps: stamps.slice(1), nowUs: 105 * second }, rules);
  assert.deepEqual([ordered.allowed, ordered.stampUs], [1, 110 * second]);
  const far = computeWindowUpdate({ stamps, nowUs: 49 * second }, rules);
  assert.deepEqual([far.allowed, far.expired, far.stampUs], [2, 2, 49 * second]);
});

test('an uncounted request leaves by its own stamp, and a rollback counts none', async () => {
  const rules = { limit: 2, windowSeconds: 60 };
  const consume = () => scratch.db.transaction((tx) => consumeCreates(tx, ['own'], rules));
  const [[first], [last]] = [await consume(), await consume()];
  await scratch.db.transaction((tx) => releaseCreate(tx, { keyId: 'own', stampUs: last!.stampUs }));
  const undone = scratch.db.transaction(async (tx) => {
    assert.equal((await consumeCreates(tx, ['own'], rules))[0]!.allowed, true);
    throw new Error('no commit');
  });
  await assert.rejects(undone, /no commit/);
  const { rows } = await scratch.db.query(`select stamps from create_windows where key_id = 'own'`);
  assert.deepEqual(rows, [{ stamps: [String(first!.stampUs)] }]);
});

test('the sweep deletes empty windows and keeps the others', async () => {
  const { db } = scratch;
  await db.query('delete from create_windows');
  const rules = { limit: 5, windowSeconds: 60 };
  await db.transaction((tx) => consumeCreates(tx, ['old', 'young', 'young'], rules));
  await db.query(
    `update create_windows set stamps = array[stamps[1] - 60000000] where key_id = 'old'`,
  );
  await db.query(`insert into create_windows (key_id) values ('empty')`);
  assert.equal(await db.transaction((tx) => sweepRateWindows(tx)), 2);
  const { rows } = await db.query('select key_id from create_windows');
  assert.deepEqual(rows, [{ key_id: 'young' }]);
});
