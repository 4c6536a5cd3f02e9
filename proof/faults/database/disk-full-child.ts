/**
 * The disk of the database fills up under load, and space returns later. Run by `apart.ts`: the
 * small disk is a mount of that process alone.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { between, type Random, randomFrom } from '../../../renderer/random.ts';
import { monotonicMs, sleep } from '../../../server/clock.ts';
import { deleteFolder, makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import { combineFindings, type FaultTestOptions, type FaultTestResult } from '../fault-test.ts';
import { type Findings, inspectSince } from '../findings.ts';
import { Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { Cluster } from './cluster.ts';
import { Watch } from './watch.ts';

/** What a new database takes, its journal as below, and a little to grow. */
const diskMegabytes = 160;
const settings = ['min_wal_size=32MB', 'max_wal_size=48MB', 'checkpoint_timeout=30s'];
const loadMs = { from: 500, to: 2000 };
const fullMs = { from: 1000, to: 6000 };
const pollMs = 50;
/** What is written is found not to fit sooner or later: under load, sooner. */
const noticedMsMax = 120_000;

type DiskFullFixture = {
  readonly cluster: Cluster;
  readonly disk: string;
  readonly installation: Installation;
  readonly processes: readonly ServiceProcess[];
  readonly watch: Watch;
};

export async function run({
  runs,
  seed,
  log,
  saveProgress,
  signal,
}: FaultTestOptions): Promise<FaultTestResult> {
  const random = randomFrom(seed);
  const folder = makeTemporaryFolder('small-disk');
  chmodSync(folder, 0o755);
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'tmpfs', disk]);
  const fixture = await prepare(disk);
  const found: Findings[] = [];
  const currentResult = () => {
    const { internalErrors } = fixture.installation.clients;
    const note = `${internalErrors} creates were answered internal_error, and repeated`;
    return combineFindings(found, { runs: found.length, notes: [note, fixture.watch.summary] });
  };
  try {
    while (found.length < runs && !signal.aborted) {
      found.push(await fillOnce(fixture, random));
      saveProgress(currentResult());
      log(`${found.length} of ${runs}: ${found.at(-1)!.acknowledged} acknowledged`);
    }
    return currentResult();
  } finally {
    const watched = fixture.watch.stop();
    await fixture.installation.close();
    await watched;
    await fixture.cluster.close();
    execFileSync('umount', ['--lazy', disk]);
    deleteFolder(folder);
  }
}

async function prepare(disk: string): Promise<DiskFullFixture> {
  const cluster = await Cluster.make({ data: join(disk, 'data'), settings });
  const installation = await Installation.open({ engine: 'postgres', serverUrl: cluster.url });
  const api = installation.start({ role: 'api' });
  await api.waitUntilServing();
  const { key } = await installation.account();
  const both = installation.start({ port: await reservePort() });
  await both.waitUntilServing();
  const watch = new Watch([api.url, both.url], [{ path: '/v1/credits', key }]);
  return { cluster, disk, installation, processes: [api, both], watch };
}

async function fillOnce(fixture: DiskFullFixture, random: Random): Promise<Findings> {
  const { cluster, disk, installation, processes, watch } = fixture;
  const { clients } = installation;
  const before = clients.acknowledged.size;
  clients.start();
  await sleep(between(random, loadMs));
  const ballast = join(disk, 'ballast');
  const noticed = cluster.watchLog('No space left on device');
  const fromMs = monotonicMs();
  while (!noticed.isLogged()) {
    // Again and again: what the database gives up in between is taken as well.
    fill(ballast);
    if (monotonicMs() - fromMs > noticedMsMax) throw new Error('the full disk was not noticed');
    await sleep(pollMs);
  }
  await sleep(between(random, fullMs));
  rmSync(ballast);
  // Where it could not even recover, it has ended; an operator's supervisor starts it again.
  if (!cluster.isRunning) await cluster.start();
  await sleep(between(random, loadMs));
  await clients.stop();
  const found = await inspectSince(installation, { since: before, staying: processes });
  return { ...found, broken: [...found.broken, ...watch.takeViolations()] };
}

/** Writes until nothing fits any more, to the last byte. */
function fill(file: string): void {
  const ballast = openSync(file, 'a');
  for (let bytes = 1024 * 1024; bytes >= 1; ) {
    try {
      writeSync(ballast, Buffer.alloc(bytes));
    } catch {
      bytes = Math.floor(bytes / 4);
    }
  }
  closeSync(ballast);
}
