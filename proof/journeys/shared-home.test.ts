/**
 * Processes with one role each share the own database of a home directory. The one that runs the
 * server is killed or stopped again and again while tasks are created.
 *
 * Thorough: starts a dozen processes and waits for the leases of the killed ones.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findingViolations } from '../faults/fault-test.ts';
import { inspectEnd } from '../faults/findings.ts';
import { Installation } from '../faults/installation.ts';
import type { ServiceProcess } from '../faults/service-process.ts';
import { waitUntil } from '../kit/wait-until.ts';

type TestedRole = 'api' | 'worker';
const endings = ['kill', 'stop', 'kill', 'kill', 'stop', 'kill'] as const;
const createsPerRound = 20;

test('no acknowledged task is lost while processes take over the database', async () => {
  // Empty counts as not set: the home directory has its own database.
  await using installation = await Installation.open({ environment: { VIDGEN_DATABASE_URL: '' } });
  const { clients } = installation;
  const ownerPid = () =>
    Number(JSON.parse(readFileSync(join(installation.home, 'holder.json'), 'utf8')).pid);
  const start = (role: TestedRole) => ({ role, process: installation.start({ role }) });
  const findOwner = (all: readonly { process: ServiceProcess }[]) =>
    all.find(({ process }) => !process.hasExited && process.pid === ownerPid());

  // The first one runs the server.
  const api = start('api');
  await api.process.waitUntilServing();
  let running = [api, start('worker'), start('worker')];
  await installation.account();
  clients.start();
  const owners = new Set<string>();
  for (const ending of endings) {
    const created = clients.acknowledged.size;
    await waitUntil(() => clients.acknowledged.size >= created + createsPerRound);
    const owner = (await waitUntil(() => findOwner(running))) as (typeof running)[number];
    owners.add(owner.role);
    if (ending === 'kill') await owner.process.kill();
    else assert.deepEqual(await owner.process.stopViolations(), []);
    running = running.map((one) => (one === owner ? start(one.role) : one));
  }
  await clients.stop();
  const found = await inspectEnd(installation, { staying: running.map(({ process }) => process) });
  assert.deepEqual(findingViolations(found), []);
  assert.ok(found.acknowledged >= endings.length * createsPerRound);
  assert.deepEqual([...owners].sort(), ['api', 'worker']);
  const alone = installation.start({ role: 'all' });
  assert.equal((await alone.exited).code, 1);
  assert.match(alone.output(), /is in use by process \d+ on .* Stop that process, or set/);
  for (const { process } of running) assert.deepEqual(await process.stopViolations(), []);
});
