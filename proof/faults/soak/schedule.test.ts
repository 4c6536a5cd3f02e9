import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountsMax, disturbancesFor, planOf } from './schedule.ts';

const numbers = Array.from({ length: 2000 }, (_, at) => at + 1);
const run = { seed: 3, ms: 30 * 60_000 };

test('the same seed gives the same plan, another seed another one', () => {
  assert.deepEqual(planOf(3, 17), planOf(3, 17));
  assert.deepEqual(disturbancesFor(run), disturbancesFor(run));
  assert.notDeepEqual(disturbancesFor({ ...run, seed: 4 }), disturbancesFor(run));
  assert.notDeepEqual(
    numbers.map((one) => planOf(3, one).end),
    numbers.map((one) => planOf(4, one).end),
  );
});

test('a run has every kind of end, receiver and account', () => {
  const plans = numbers.map((one) => planOf(1, one));
  const kinds = (of: (plan: (typeof plans)[number]) => unknown) => new Set(plans.map(of)).size;
  assert.equal(
    kinds(({ end }) => end),
    3,
  );
  assert.equal(
    kinds(({ callback }) => callback),
    5,
  );
  assert.equal(
    kinds(({ watched }) => watched),
    3,
  );
  assert.equal(
    kinds(({ account }) => account),
    accountsMax,
  );
});

test('disturbances include the database and never overlap a lease', () => {
  const found = disturbancesFor(run);
  assert.deepEqual([...new Set(found.map(({ kind }) => kind))].sort(), [
    'database',
    'kill',
    'stop',
  ]);
  const gaps = found.slice(1).map(({ atMs }, at) => atMs - found[at]!.atMs);
  assert.ok(gaps.every((gap) => gap > 15_000));
});
