/**
 * A sample of what `npm run faults` does at length to the machine below the service: its clock
 * jumps, its disk is full, its processes are replaced.
 * One engine: a clock and a disk of its own are a process's; the database keeps the true time.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestServer } from '../../kit/postgres.ts';
import { findingViolations } from '../fault-test.ts';
import { missingRequirements, type Requirement } from '../requirements.ts';
import { ClockFixture } from './clock-fixture.ts';
import { ResultsDisk } from './results-disk.ts';
import { runWithFault } from './results-disk-full.ts';
import { Roll } from './rolling-restarts.ts';

let server: TestServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

const skipWithout = (...requirements: readonly Requirement[]) => {
  const missing = missingRequirements(requirements);
  return missing.length === 0 ? {} : { skip: missing.join('; ') };
};

test('a clock that jumps by 45 days ends nothing early', skipWithout('faketime'), async () => {
  await using fixture = await ClockFixture.open({
    engine: 'postgres',
    serverUrl: server.url,
    names: ['all'],
  });
  const { violations } = await fixture.jump({ nth: 0, offsetSeconds: 45 * 86_400 });
  assert.deepEqual(violations, []);
  const end = await fixture.end();
  assert.deepEqual([...findingViolations(end.findings), ...end.violations], []);
  assert.ok(end.findings.acknowledged > 0);
});

test(
  'results wait for a full disk, and none is half there',
  skipWithout('namespaces'),
  async () => {
    await using disk = await ResultsDisk.open(server.url);
    const findings = await runWithFault(disk, { fault: 'results', tasks: 2 });
    assert.deepEqual(findingViolations(findings), []);
    assert.equal(findings.acknowledged, 4);
  },
);

test('no create fails while both processes are replaced', async () => {
  await using roll = await Roll.open(server.url);
  const stops = [await roll.restart(0), await roll.restart(1)];
  assert.deepEqual(stops.flat(), []);
  const { findings, failed } = await roll.end();
  assert.deepEqual([...findingViolations(findings), ...failed], []);
  assert.ok(findings.acknowledged > 0);
});
