/**
 * Samples of the fault tests `database-restarts` and `partition`: a database that crashes under
 * load, and a worker whose database stops responding.
 * Thorough: a sample of a long fault test.
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
const loadMs = { from: 100, to: 400 };

let cluster: Cluster;
let installation: Installation;
let staying: readonly [ServiceProcess];
before(async () => {
  if (skip) return;
  cluster = await Cluster.make();
  installation = await Installation.open({ serverUrl: cluster.url });
  staying = [installation.start()];
  await staying[0].waitUntilServing();
  await installation.account();
});
after(async () => {
  await installation?.close();
  await cluster?.close();
});

test('a database crash under load loses no task', { skip }, async () => {
  await using watch = await Watch.start(installation, staying);
  const random = randomFrom(1);
  const restarts = new Restarts({ cluster, installation, staying, watch, random, loadMs });
  await restarts.run('kill');
  await restarts.run('session');
  const found = await restarts.inspect();
  assert.deepEqual(findingViolations(found), []);
  assert.ok(found.acknowledged > 0);
});

test('a worker without a responding database does no damage', { skip }, async () => {
  const parts = { installation, staying, databasePort: cluster.port };
  await using partitions = new Partitions({ ...parts, cutsLeases: true, loadMs });
  const found = await partitions.run(randomFrom(1));
  assert.deepEqual(findingViolations(found), []);
  assert.ok(found.acknowledged > 0);
});
