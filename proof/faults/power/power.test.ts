/**
 * A sample of the fault test `power`: cuts under PostgreSQL alone and under the whole service.
 * Thorough: needs root and loop devices, and takes a minute, most of it for starts after cuts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom, seedFrom } from '../../../renderer/random.ts';
import { startPostgres } from '../../kit/postgres.ts';
import { findingViolations } from '../fault-test.ts';
import { missingRequirements } from '../requirements.ts';
import { DatabaseTarget } from './database-target.ts';
import { lossesWithoutFsync, power } from './power.ts';
import { ServiceTarget } from './service-target.ts';
import { type CutTarget, type CutTime, CutTrials } from './trial.ts';

const missing = missingRequirements(power.requirements);
const skip = missing.length > 0 ? { skip: missing.join('; ') } : {};
const startMs = { first: 3000, later: 1500 };

async function cutAll(target: CutTarget, times: readonly CutTime[]): Promise<void> {
  const trials = new CutTrials(target, { ...startMs });
  for (const time of times) {
    const result = await trials.run(time, randomFrom(seedFrom('sample', time)));
    assert.deepEqual(findingViolations(result), []);
    assert.ok(result.acknowledged > 0 || time === 'during the first start');
  }
}

test('PostgreSQL has every acknowledged commit after power cuts', skip, async () => {
  await using target = await DatabaseTarget.open();
  const later = ['under load', 'during a checkpoint', 'while it starts after a cut'] as const;
  await cutAll(target, ['during the first start', ...later]);
});

test('the service has every acknowledged task after power cuts', skip, async () => {
  const { url: serverUrl, stop } = await startPostgres();
  try {
    await using target = await ServiceTarget.open({ serverUrl, hasToken: false });
    await cutAll(target, ['during the first start', 'under load']);
  } finally {
    await stop();
  }
});

test('a server without fsync loses acknowledged commits', skip, async () => {
  const { signal } = new AbortController();
  const { violations } = await lossesWithoutFsync({ seed: 1, signal });
  assert.ok(violations > 0);
});
