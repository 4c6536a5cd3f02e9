/**
 * A soak run of a few seconds with one kill.
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soak } from './soak.ts';

test('every acknowledged task ends as planned, and the service is sampled', async () => {
  const result = await soak({ ms: 4000, perSecond: 6, seed: 1, log: () => {} });
  assert.deepEqual(result.violations, []);
  assert.equal(result.counts['processes killed'], 1);
  assert.ok(result.findings.acknowledged > 0);
  const names = ['tasks', 'result bytes', 'bytes of jobs', 'rows of jobs', 'database connections'];
  if (process.platform === 'linux') names.push('resident bytes', 'open files');
  for (const name of names) assert.ok(Number.isFinite(result.lastSample[name]), name);
  assert.ok(result.lastSample.tasks! > 0);
});
