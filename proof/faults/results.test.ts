/** One engine: the subject is arithmetic. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from './fault-test.ts';
import { addRun, type PublishedResult } from './results.ts';

const result: PublishedResult = {
  ...resultOf([{ acknowledged: 1000, lost: ['task_1'], doubled: [], unfinished: [], broken: [] }]),
  ...{ name: 'kills', asked: 800, runs: 805, seed: 1, minutes: 10, endedOn: '2026-01-01' },
  ...{ machine: 'two cores', load: 1, notes: ['slow'], details: 'a table' },
};

test('adds a run to a published result and states how many runs are older', () => {
  const last = { ...result, runs: 200, asked: 200, seed: 2, lost: 0, violations: [], notes: [] };
  const sum = addRun(result, { ...last, details: 'another table' });
  assert.equal(sum.runs, 1005);
  assert.equal(sum.asked, 1000);
  assert.equal(sum.acknowledged, 2000);
  assert.equal(sum.lost, 1);
  assert.deepEqual(sum.violations, ['lost: task_1']);
  assert.equal(sum.seed, 2);
  assert.equal(sum.details, 'another table');
  assert.deepEqual(sum.notes, ['805 of these are of earlier runs; the notes are of the last run.']);
});
