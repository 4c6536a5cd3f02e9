/**
 * The disk of the database fills up under load, and space returns later. Run by `apart.ts`: the
 * small disk is a mount of that process alone.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { between, type Random, randomFrom } from '../../../renderer/random.ts';
import { elapsedMs, sleep } from '../../../server/clock.ts';
import { deleteFolder, makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import { type Findings, lookSince } from '../findings.ts';
import { Installation } from '../installation.ts';
import { type Outcome, outcomeOf, type ProofOrder } from '../proof.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { Cluster } from './cluster.ts';
import { Watch } from './watch.ts';

/** What a new database takes, its journal as below, and a little to grow. */
const diskMegabytes = 160;
const settings = ['min_wal_size=32MB', 'max_wal_size=48MB', 'checkpoint_timeout=30s'];
const loadMs = { from: 500, to: 2000 };
const fullMs = { from: 1000, to: 6000 };
const lookMs = 50;
/** What is written is found not to fit sooner or later: under load, sooner. */
const noticedMsMax = 120_000;

type Bench = {
  readonly cluster: Cluster;
  readonly disk: string;
  readonly installation: Installation;
  readonly processes: readonly ServiceProcess[];
  readonly watch: Watch;
};

export async function run({ runs, seed, say, keep, signal }: ProofOrder): Promise<Outcome> {
  const random = randomFrom(seed);
  const folder = makeTemporaryFolder('small-disk');
  chmodSync(folder, 0o755);
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'tmpfs', disk]);
  const bench = await prepare(disk);
  const found: Findings[] = [];
  const outcome = () => {
    const { internalErrors } = bench.installation.clients;
    const note = `${internalErrors} creates were answered internal_error, and repeated`;
    return outcomeOf(found, { runs: found.length, notes: [note, bench.watch.note] });
  };
  try {
    while (found.length < runs && !signal.aborted) {
      found.push(await fillOnce(bench, random));
      keep(outcome());
      say(`${found.length} of ${runs}: ${found.at(-1)!.acknowledged} acknowledged`);
    }
    return outcome();
  } finally {
    const watched = bench.watch.stop();
    await bench.installation.close();
    await watched;
    await bench.cluster.close();
    execFileSync('umount', ['--lazy', disk]);
    deleteFolder(folder);
  }
}

async function prepare(disk: string): Promise<Bench> {
  const cluster = await Cluster.make({ data: join(disk, 'data'), settings });
  const installation = await Installation.open({ engine: 'postgres', serverUrl: cluster.url });
  const api = installation.start({ role: 'api' });
  await api.serving();
  const { key } = await installation.account();
  const both = installation.start({ port: await reservePort() });
  await both.serving();
  const watch = new Watch([api.url, both.url], [{ path: '/v1/credits', key }]);
  return { cluster, disk, installation, processes: [api, both], watch };
}

async function fillOnce(bench: Bench, random: Random): Promise<Findings> {
  const { cluster, disk, installation, processes, watch } = bench;
  const { clients } = installation;
  const before = clients.acknowledged.size;
  clients.start();
  await sleep(between(random, loadMs));
  const ballast = join(disk, 'ballast');
  const noticed = cluster.says('No space left on device');
  const fromMs = elapsedMs();
  while (!noticed.isSaid()) {
    // Again and again: what the database gives up in between is taken as well.
    fill(ballast);
    if (elapsedMs() - fromMs > noticedMsMax) throw new Error('the full disk was not noticed');
    await sleep(lookMs);
  }
  await sleep(between(random, fullMs));
  rmSync(ballast);
  // Where it could not even recover, it has ended; an operator's supervisor starts it again.
  if (!cluster.isRunning) await cluster.start();
  await sleep(between(random, loadMs));
  await clients.stop();
  const found = await lookSince(installation, { since: before, staying: processes });
  return { ...found, broken: [...found.broken, ...watch.takeTroubles()] };
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
