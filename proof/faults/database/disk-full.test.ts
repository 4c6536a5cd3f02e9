/**
 * Fills the disk of the database under load and frees it later. The disk is a small tmpfs that is
 * mounted in the namespace of the test's own process.
 * Thorough: a sample of a long fault test.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { between, randomFrom } from '../../../renderer/random.ts';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { Cluster } from '../../kit/cluster.ts';
import { deleteFolder, makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import { faultTest, runRepeatedly } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { Watch } from './watch.ts';

/** Fits a new database, its WAL as limited below, and a little growth. */
const diskMegabytes = 160;
const settings = ['min_wal_size=32MB', 'max_wal_size=48MB', 'checkpoint_timeout=30s'];
const loadMs = { from: 500, to: 2000 };
const fullMs = { from: 1000, to: 6000 };
const pollMs = 50;
const noticedMsMax = 120_000;

faultTest('the disk of the database is full, under load', {
  sample: 1,
  requirements: ['namespaces'],
  ownMounts: import.meta.url,
  async run(options) {
    const random = randomFrom(options.seed);
    const folder = makeTemporaryFolder('small-disk');
    chmodSync(folder, 0o755);
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'tmpfs', disk]);
    try {
      await using cluster = await Cluster.make({ data: join(disk, 'data'), settings });
      await using installation = await Installation.open({ serverUrl: cluster.url });
      const { clients } = installation;
      const staying = await installation.startPair('all');
      await using watch = await Watch.start(installation, staying);
      const fillOnce = async () => {
        const before = clients.acknowledged.size;
        clients.start();
        await sleep(between(random, loadMs));
        await fillUntilNoticed(cluster, join(disk, 'ballast'));
        await sleep(between(random, fullMs));
        rmSync(join(disk, 'ballast'));
        // Where PostgreSQL could not recover it has exited; a supervisor would start it again.
        if (!cluster.isRunning) await cluster.start();
        await sleep(between(random, loadMs));
        await clients.stop();
        const taskNumbers = clients.taskNumbers(before);
        return watch.addViolations(await inspectEnd(installation, { taskNumbers, staying }));
      };
      return await runRepeatedly(options, fillOnce);
    } finally {
      execFileSync('umount', ['--lazy', disk]);
      deleteFolder(folder);
    }
  },
});

/** Fills again and again, so that space which the database frees in between is taken as well. */
async function fillUntilNoticed(cluster: Cluster, file: string): Promise<void> {
  const noticed = cluster.watchLog('No space left on device');
  const fromMs = monotonicMs();
  while (!noticed.isLogged()) {
    fill(file);
    if (monotonicMs() - fromMs > noticedMsMax) throw new Error('the full disk was not noticed');
    await sleep(pollMs);
  }
}

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
