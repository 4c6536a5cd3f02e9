/**
 * Samples of the fault tests of the machine below the service: its clock jumps, its disk is full,
 * its processes are replaced.
 * Thorough: samples of long fault tests.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingViolations } from '../fault-test.ts';
import { missingRequirements, type Requirement } from '../requirements.ts';
import { smokeTest } from '../smoke-test.ts';
import { ClockFixture } from './clock-fixture.ts';
import { ResultsDisk } from './results-disk.ts';
import { runWithFault } from './results-disk-full.ts';
import { rollingRestarts } from './rolling-restarts.ts';

const skipWithout = (...requirements: readonly Requirement[]) => {
  const missing = missingRequirements(requirements);
  return missing.length === 0 ? {} : { skip: missing.join('; ') };
};

test('a clock jump of 45 days ends nothing early', skipWithout('faketime'), async () => {
  await using fixture = await ClockFixture.open(['all']);
  const jumped = await fixture.jump({ nth: 0, offsetSeconds: 45 * 86_400 });
  assert.deepEqual(findingViolations(jumped), []);
  const end = await fixture.end();
  assert.deepEqual(findingViolations(end), []);
  assert.ok(end.acknowledged > 0);
});

test(
  'results wait for a full disk, and none is incomplete',
  skipWithout('namespaces'),
  async () => {
    await using disk = await ResultsDisk.open();
    const findings = await runWithFault(disk, { fault: 'results', tasks: 2 });
    assert.deepEqual(findingViolations(findings), []);
    assert.equal(findings.acknowledged, 4);
  },
);

smokeTest(rollingRestarts, 2);
