/** One engine: the subject is arithmetic. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PublishedResult, sumResults } from './results.ts';

const result: PublishedResult = {
  name: 'kills',
  asked: 800,
  runs: 805,
  seed: 1,
  minutes: 10,
  endedOn: '2026-01-01',
  machine: 'two cores',
  load: 1,
  acknowledged: 1000,
  lost: 1,
  doubled: 0,
  unfinished: 0,
  broken: 0,
  violations: ['a task was lost'],
  notes: ['slow'],
  details: 'a table',
};

test('a run that is added keeps what earlier ones found, and tells how many there were', () => {
  const second = { ...result, runs: 200, asked: 200, seed: 2, lost: 0, violations: [], notes: [] };
  const sum = sumResults(result, { ...second, details: 'another table' });
  assert.equal(sum.runs, 1005);
  assert.equal(sum.asked, 1000);
  assert.equal(sum.acknowledged, 2000);
  assert.equal(sum.lost, 1);
  assert.deepEqual(sum.violations, ['a task was lost']);
  assert.equal(sum.seed, 2);
  assert.equal(sum.details, 'another table');
  assert.deepEqual(sum.notes, ['805 of these are of earlier runs; what follows is of the last.']);
});
