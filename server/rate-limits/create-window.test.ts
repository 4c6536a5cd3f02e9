/** The rule of the exact window, and its rows. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import { computeWindowUpdate, consumeCreates, releaseCreate } from './create-window.ts';
import { sweepRateWindows } from './sweep-windows.ts';

let scratch: ScratchDatabase;
before(async () => {
  scratch = await openScratchDatabase();
});
after(() => scratch.close());

const second = 1e6;

/** Applies decisions as the database would. */
function memoryWindow(rules: { limit: number; windowSeconds: number }) {
  let stamps: readonly number[] = [];
  return {
    stamps: () => stamps,
    arrive(nowUs: number, requests: number) {
      const update = computeWindowUpdate({ stamps, nowUs }, { ...rules, requests });
      const entering = Array<number>(update.allowed).fill(update.stampUs);
      stamps = [...stamps.slice(update.expired), ...entering];
      return update;
    },
  };
}

const arrivals = fc.array(
  fc.record({
    waitUs: fc.oneof(
      fc.integer({ min: 0, max: 3 * second }),
      fc.constantFrom(0, 1, second - 1, second, second + 1),
    ),
    requests: fc.integer({ min: 1, max: 6 }),
  }),
  { maxLength: 60 },
);

test('agrees with a model that remembers everything', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 3 }),
      arrivals,
      (limit, windowSeconds, steps) => {
        const window = memoryWindow({ limit, windowSeconds });
        const allowedAt: number[] = [];
        let nowUs = 1_700_000_000 * second;
        for (const { waitUs, requests } of steps) {
          nowUs += waitUs;
          const { decisions } = window.arrive(nowUs, requests);
          for (const { allowed, remaining } of decisions) {
            const live = allowedAt.filter((at) => at > nowUs - windowSeconds * second).length;
            assert.equal(allowed, live < limit);
            assert.equal(remaining, allowed ? limit - live - 1 : 0);
            if (allowed) allowedAt.push(nowUs);
          }
          assert.ok(window.stamps().length <= limit);
        }
        for (let at = limit; at < allowedAt.length; at += 1) {
          assert.ok(allowedAt[at]! - allowedAt[at - limit]! >= windowSeconds * second);
        }
      },
    ),
  );
});

test('a denied request is allowed after exactly the reported time, not before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), arrivals, (limit, steps) => {
      const rules = { limit, windowSeconds: 2 };
      const window = memoryWindow(rules);
      let nowUs = second;
      for (const { waitUs, requests } of steps) {
        nowUs += waitUs;
        const last = window.arrive(nowUs, requests).decisions.at(-1)!;
        if (last.allowed) continue;
        const resetUs = nowUs + Math.round(last.resetInMs * 1000);
        const allowedAtUs = (at: number) =>
          computeWindowUpdate({ stamps: window.stamps(), nowUs: at }, { ...rules, requests: 1 })
            .allowed;
        assert.equal(allowedAtUs(resetUs), 1);
        assert.equal(allowedAtUs(resetUs - 1), 0);
      }
    }),
  );
});

test('a lowered limit denies until enough requests have left the window', () => {
  const stamps = [1, 2, 3, 4, 5].map((at) => at * second);
  const update = computeWindowUpdate(
    { stamps, nowUs: 6 * second },
    { limit: 2, windowSeconds: 60, requests: 1 },
  );
  assert.equal(update.allowed, 0);
  // There is room once only the newest is left.
  assert.equal(update.decisions[0]!.resetInMs, 58_000);
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

test('decides a batch of several keys in order of arrival, each key separately', async () => {
  const decisions = await scratch.db.transaction((tx) =>
    consumeCreates(tx, ['b', 'a', 'b', 'b', 'a', 'c'], { limit: 2, windowSeconds: 60 }),
  );
  assert.deepEqual(
    decisions.map(({ allowed, remaining }) => [allowed, remaining]),
    [
      [true, 1],
      [true, 1],
      [true, 0],
      [false, 0],
      [true, 0],
      [true, 1],
    ],
  );
});

test('a request that is uncounted leaves by its own stamp', async () => {
  const rules = { limit: 2, windowSeconds: 60 };
  const consume = () => scratch.db.transaction((tx) => consumeCreates(tx, ['own'], rules));
  const [[first], [second]] = [await consume(), await consume()];
  await scratch.db.transaction((tx) =>
    releaseCreate(tx, { keyId: 'own', stampUs: second!.stampUs }),
  );
  const { rows } = await scratch.db.query(`select stamps from create_windows where key_id = 'own'`);
  assert.deepEqual(rows, [{ stamps: [String(first!.stampUs)] }]);
});

test('a batch that is rolled back counts nothing', async () => {
  const rules = { limit: 1, windowSeconds: 60 };
  const undone = scratch.db.transaction(async (tx) => {
    assert.equal((await consumeCreates(tx, ['undone'], rules))[0]!.allowed, true);
    throw new Error('no commit');
  });
  await assert.rejects(undone, /no commit/);
  const [decision] = await scratch.db.transaction((tx) => consumeCreates(tx, ['undone'], rules));
  assert.equal(decision!.allowed, true);
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
