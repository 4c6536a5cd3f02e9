/**
 * A database that crashes under load, and a worker that hears nothing of it any more. Proofs of
 * `npm run faults` do both many times.
 *
 * One engine: the embedded one has no server that could be lost.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { randomFrom } from '../../../renderer/random.ts';
import { findingViolations } from '../fault-test.ts';
import { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';
import { Cluster, clusterProblem } from './cluster.ts';
import { Partitions } from './partition.ts';
import { Restarts } from './restarts.ts';
import { Watch } from './watch.ts';

const skip = clusterProblem();
// The template of all tests is on their server; this one is ours, and will be crashed.
delete process.env.VIDGEN_TEST_TEMPLATE;

const loadMs = { from: 100, to: 400 };

let cluster: Cluster;
let installation: Installation;
let service: ServiceProcess;
before(async () => {
  if (skip) return;
  cluster = await Cluster.make();
  installation = await Installation.open({ engine: 'postgres', serverUrl: cluster.url });
  service = installation.start();
  await service.waitUntilServing();
  await installation.account();
});
after(async () => {
  if (skip) return;
  await installation.close();
  await cluster.close();
});

test('a database that crashes under load costs moments, and no task', { skip }, async () => {
  const { key } = await installation.account();
  const watch = new Watch([service.url], [{ path: '/v1/credits', key }]);
  const random = randomFrom(1);
  const parts = { cluster, installation, processes: [service], watch, random, loadMs };
  const restarts = new Restarts(parts);
  await restarts.run('kill');
  await restarts.run('session');
  const found = await restarts.inspect();
  await watch.stop();
  assert.deepEqual(findingViolations(found), []);
  assert.ok(found.acknowledged > 0);
});

test('a worker that hears nothing of its database does no harm', { skip }, async () => {
  const partitions = new Partitions({
    installation,
    staying: [service],
    databasePort: cluster.port,
    cutLeases: true,
    loadMs,
  });
  try {
    const found = await partitions.run(randomFrom(1));
    assert.deepEqual(findingViolations(found), []);
    assert.ok(found.acknowledged > 0);
  } finally {
    await partitions.close();
  }
});
