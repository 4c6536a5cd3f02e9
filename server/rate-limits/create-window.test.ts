/** The rule of the exact window, and its rows. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import { decide, decideCreates } from './create-window.ts';
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
      const decision = decide({ stamps, nowUs }, { ...rules, requests });
      const entering = Array<number>(decision.admitted).fill(decision.stampUs);
      stamps = [...stamps.slice(decision.gone), ...entering];
      return decision;
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
        const admittedAt: number[] = [];
        let nowUs = 1_700_000_000 * second;
        for (const { waitUs, requests } of steps) {
          nowUs += waitUs;
          const { verdicts } = window.arrive(nowUs, requests);
          for (const { admitted, remaining } of verdicts) {
            const live = admittedAt.filter((at) => at > nowUs - windowSeconds * second).length;
            assert.equal(admitted, live < limit);
            assert.equal(remaining, admitted ? limit - live - 1 : 0);
            if (admitted) admittedAt.push(nowUs);
          }
          assert.ok(window.stamps().length <= limit);
        }
        for (let at = limit; at < admittedAt.length; at += 1) {
          assert.ok(admittedAt[at]! - admittedAt[at - limit]! >= windowSeconds * second);
        }
      },
    ),
  );
});

test('a refused request finds a place after exactly the time it was told, not before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), arrivals, (limit, steps) => {
      const rules = { limit, windowSeconds: 2 };
      const window = memoryWindow(rules);
      let nowUs = second;
      for (const { waitUs, requests } of steps) {
        nowUs += waitUs;
        const last = window.arrive(nowUs, requests).verdicts.at(-1)!;
        if (last.admitted) continue;
        const freeUs = nowUs + Math.round(last.freeInMs * 1000);
        const ask = (at: number) =>
          decide({ stamps: window.stamps(), nowUs: at }, { ...rules, requests: 1 }).admitted;
        assert.equal(ask(freeUs), 1);
        assert.equal(ask(freeUs - 1), 0);
      }
    }),
  );
});

test('a lowered limit refuses until enough has left the window', () => {
  const stamps = [1, 2, 3, 4, 5].map((at) => at * second);
  const decision = decide(
    { stamps, nowUs: 6 * second },
    { limit: 2, windowSeconds: 60, requests: 1 },
  );
  assert.equal(decision.admitted, 0);
  // One place is free once only the newest is left.
  assert.equal(decision.verdicts[0]!.freeInMs, 58_000);
});

test('a clock set back a little admits nothing too early, one set back far blocks nobody', () => {
  const rules = { limit: 2, windowSeconds: 60, requests: 3 };
  const stamps = [100 * second, 110 * second];
  const little = decide({ stamps, nowUs: 105 * second }, rules);
  assert.equal(little.admitted, 0);
  assert.equal(little.verdicts[0]!.freeInMs, 55_000);
  const ordered = decide({ stamps: stamps.slice(1), nowUs: 105 * second }, rules);
  assert.deepEqual([ordered.admitted, ordered.stampUs], [1, 110 * second]);
  const far = decide({ stamps, nowUs: 49 * second }, rules);
  assert.deepEqual([far.admitted, far.gone, far.stampUs], [2, 2, 49 * second]);
});

test('a batch of several keys is decided in order of arrival, each key by itself', async () => {
  const verdicts = await scratch.db.transaction((tx) =>
    decideCreates(tx, ['b', 'a', 'b', 'b', 'a', 'c'], { limit: 2, windowSeconds: 60 }),
  );
  assert.deepEqual(
    verdicts.map(({ admitted, remaining }) => [admitted, remaining]),
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

test('a batch that is rolled back has counted nothing', async () => {
  const rules = { limit: 1, windowSeconds: 60 };
  const undone = scratch.db.transaction(async (tx) => {
    assert.equal((await decideCreates(tx, ['undone'], rules))[0]!.admitted, true);
    throw new Error('no commit');
  });
  await assert.rejects(undone, /no commit/);
  const [verdict] = await scratch.db.transaction((tx) => decideCreates(tx, ['undone'], rules));
  assert.equal(verdict!.admitted, true);
});

test('the sweep removes windows that have run empty and leaves the others', async () => {
  const { db } = scratch;
  await db.query('delete from create_windows');
  const rules = { limit: 5, windowSeconds: 60 };
  await db.transaction((tx) => decideCreates(tx, ['old', 'young', 'young'], rules));
  await db.query(
    `update create_windows set stamps = array[stamps[1] - 60000000] where key_id = 'old'`,
  );
  await db.query(`insert into create_windows (key_id) values ('empty')`);
  assert.equal(await db.transaction((tx) => sweepRateWindows(tx)), 2);
  const { rows } = await db.query('select key_id from create_windows');
  assert.deepEqual(rows, [{ key_id: 'young' }]);
});
