/**
 * Fills the disk of the downloads or of the results. No incomplete file is ever served, a task
 * waits for space or ends refunded, and everything continues when space is back. The disks are in
 * memory and mounted in the namespace of the service process only.
 * Thorough: a sample of a long fault test.
 */
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { resultVideoPath } from '../../kit/result-server.ts';
import { clientOf } from '../../kit/service.ts';
import { isDelivered } from '../../kit/unmarked.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { faultTest, runRepeatedly } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { loseNone, shouldFail } from '../upstream.ts';

const diskBytes = 4 * 1024 * 1024;
const folders = ['results', 'downloads'] as const;
const tasksAtOnce = 6;

/** One disk for each folder, so that either can be full. */
const mounts = `
  for name in ${folders.join(' ')}; do
    mkdir -p "$0/$name" && mount -t tmpfs -o size=${diskBytes},mode=700 vidgen "$0/$name" || exit 1
  done
  exec "$@"`;

faultTest('the disk of the results is full', {
  sample: 2,
  requirements: ['namespaces'],
  async run(options) {
    await using installation = await Installation.open({ upstream: { lostPercent: loseNone } });
    const { clients, home, url, db } = installation;
    const through = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', mounts, home];
    const service = installation.start({ through });
    await service.waitUntilServing();
    const { key } = await installation.account();
    const video = await readFile(resultVideoPath);
    /** A path in the mount namespace of the process. */
    const pathIn = (...parts: string[]) => join(`/proc/${service.pid}/root`, home, ...parts);
    const createSome = () =>
      Promise.all(Array.from({ length: tasksAtOnce }, () => clients.create()));
    /** Completed tasks whose result is not the whole file. */
    const incompleteFiles = async () => {
      const found: string[] = [];
      for (const taskId of clients.acknowledged.values()) {
        const { status, data } = await clientOf(url, key).task(taskId);
        if (status !== 'completed') continue;
        const response = await fetch(data?.results[0] ?? '');
        const bytes = Buffer.from(await response.arrayBuffer());
        if (!isDelivered(bytes, video))
          found.push(`${taskId}: ${response.status}, ${bytes.length} bytes`);
      }
      return found;
    };
    return await runRepeatedly(options, async (nth) => {
      const folder = folders[nth % folders.length]!;
      const before = await createSome();
      // What is being downloaded would leave room for others when it is stored.
      await waitUntil(() => before.every((one) => clients.hasWebhook(one)));
      await fill(pathIn(folder, 'fill'));
      const during = await createSome();
      const stored = during.filter((one) => !shouldFail(one));
      const storedIds = stored.map((one) => clients.acknowledged.get(one)!);
      const waiting = `select from jobs where task_id = any($1::text[])
        and kind in ('submit', 'poll') and last_error is null`;
      await waitUntil(async () => (await db.query(waiting, [storedIds])).rowCount === 0);
      const incomplete = await incompleteFiles();
      const early = stored.filter((one) => clients.hasWebhook(one));
      await rm(pathIn(folder, 'fill'));
      const findings = await inspectEnd(installation, { taskNumbers: [...before, ...during] });
      const left = await readdir(pathIn('results', '.incoming'));
      const broken = [
        ...findings.broken,
        ...[...incomplete, ...(await incompleteFiles())],
        ...early.map((one) => `task ${one} ended while nothing could be stored`),
        ...left.map((name) => `${name} was not deleted`),
      ];
      return { ...findings, label: folder, broken };
    });
  },
});

async function fill(path: string): Promise<void> {
  await using file = await open(path, 'w');
  const isFull = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
    return false;
  };
  for (const bytes of [65_536, 4096, 1]) {
    while (
      await file.write(Buffer.alloc(bytes)).then(({ bytesWritten }) => bytesWritten > 0, isFull)
    );
  }
}
