/**
 * A sample of what `npm run faults` does at length to the machine below the service: its clock
 * jumps, its disk is full, its processes are replaced.
 * One engine: a clock and a disk of its own are a process's; the database keeps the true time.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestServer } from '../../kit/postgres.ts';
import { lacking, type Need } from '../platform.ts';
import { breachesOf } from '../proof.ts';
import { ClockBench } from './clock-bench.ts';
import { ResultsDisk } from './results-disk.ts';
import { meet } from './results-disk-full.ts';
import { Roll } from './rolling-restarts.ts';

let server: TestServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

const skipWithout = (...needs: readonly Need[]) => {
  const sentences = lacking(needs);
  return sentences.length === 0 ? {} : { skip: sentences.join('; ') };
};

test('a clock that jumps by 45 days ends nothing early', skipWithout('faketime'), async () => {
  await using bench = await ClockBench.open({
    engine: 'postgres',
    serverUrl: server.url,
    names: ['all'],
  });
  const { sentences } = await bench.jump({ nth: 0, offsetSeconds: 45 * 86_400 });
  assert.deepEqual(sentences, []);
  const end = await bench.end();
  assert.deepEqual([...breachesOf(end.findings), ...end.sentences], []);
  assert.ok(end.findings.acknowledged > 0);
});

test(
  'results wait for a full disk, and none is half there',
  skipWithout('namespaces'),
  async () => {
    await using disk = await ResultsDisk.open(server.url);
    const findings = await meet(disk, { trouble: 'results', tasks: 2 });
    assert.deepEqual(breachesOf(findings), []);
    assert.equal(findings.acknowledged, 4);
  },
);

test('no create fails while both processes are replaced', async () => {
  await using roll = await Roll.open(server.url);
  const stops = [await roll.restart(0), await roll.restart(1)];
  assert.deepEqual(stops.flat(), []);
  const { findings, failed } = await roll.end();
  assert.deepEqual([...breachesOf(findings), ...failed], []);
  assert.ok(findings.acknowledged > 0);
});
