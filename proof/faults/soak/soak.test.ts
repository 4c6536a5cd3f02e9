/**
 * A soak run of a few seconds with one process that is killed once.
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type SoakResult, soak } from './soak.ts';

let result: SoakResult;
before(async () => {
  result = await soak({
    cluster: null,
    processes: 1,
    ms: 4000,
    perSecond: 6,
    seed: 1,
    log: () => {},
    signal: new AbortController().signal,
  });
});

test('every acknowledged task ends as planned, and no invariant is broken', () => {
  assert.deepEqual(result.violations, []);
  assert.equal(result.counts['processes killed'], 1);
  assert.ok(result.findings.acknowledged > 0);
});

test('samples the process, its tables and its folders', () => {
  const { measurements } = result;
  const tables = ['jobs bytes', 'jobs rows', 'connections'];
  const names = ['steady heap', 'tasks', 'results bytes', ...tables];
  if (process.platform === 'linux') names.push('steady resident', 'steady files');
  for (const name of names) {
    const values = measurements.series(name).map(({ value }) => value);
    assert.ok(values.some(Number.isFinite), name);
  }
  assert.ok(measurements.series('tasks').at(-1)!.value > 0);
});
