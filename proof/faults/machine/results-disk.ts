/**
 * A service whose results lie on small disks of its own, which can be filled, and whose writes can
 * be made to fail on their way to the disk. Nothing else of the machine is touched: the disks are
 * in memory, and only this process sees them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { monotonicMs, sleep } from '../../../server/clock.ts';
import { resultVideoPath } from '../../kit/result-server.ts';
import { clientOf } from '../../kit/service.ts';
import { type Findings, inspectTasks, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';

const diskBytes = 4 * 1024 * 1024;
const pollMs = 50;
const triedMsMax = 60_000;

/** What is downloaded, and what is kept of it. */
export type Folder = 'downloads' | 'results';
const folders: readonly Folder[] = ['downloads', 'results'];

/** A disk for each, so that either can be the one that is full. */
const mounts = `
  for name in ${folders.join(' ')}; do
    mkdir -p "$0/$name" && mount -t tmpfs -o size=${diskBytes},mode=700 vidgen "$0/$name" || exit 1
  done
  exec "$@"`;

/** A held resource: an installation with one process, and whatever disturbs it. */
export class ResultsDisk implements AsyncDisposable {
  readonly installation: Installation;
  readonly #process: ServiceProcess;
  readonly #video: Buffer;
  #tracer: ChildProcess | undefined;

  private constructor(parts: {
    installation: Installation;
    process: ServiceProcess;
    video: Buffer;
  }) {
    ({ installation: this.installation, process: this.#process, video: this.#video } = parts);
  }

  static async open(serverUrl: string): Promise<ResultsDisk> {
    const installation = await Installation.open({
      engine: 'postgres',
      serverUrl,
      percentLost: { done: 0, notDone: 0 },
    });
    const through = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', mounts];
    const process = installation.start({ through: [...through, installation.home] });
    await process.waitUntilServing();
    await installation.account();
    const video = await readFile(resultVideoPath);
    return new ResultsDisk({ installation, process, video });
  }

  async fill(folder: Folder): Promise<void> {
    await using file = await open(this.#path(folder, 'fill'), 'w');
    for (const bytes of [65_536, 4096, 1]) {
      while (await file.write(Buffer.alloc(bytes)).then(isWritten, isFull));
    }
  }

  async free(): Promise<void> {
    for (const folder of folders) await rm(this.#path(folder, 'fill'), { force: true });
  }

  /** From now on no file of the process reaches the disk. */
  async breakSync(error: 'EIO' | 'ENOSPC'): Promise<void> {
    const args = ['-f', '-p', String(this.#process.pid), '-e', 'trace=fsync'];
    const inject = ['-e', `inject=fsync:error=${error}`, '-o', '/dev/null'];
    this.#tracer = spawn('strace', [...args, ...inject], { stdio: ['ignore', 'ignore', 'pipe'] });
    for await (const text of this.#tracer.stderr!) if (String(text).includes('attached')) return;
    throw new Error('strace did not attach to the process');
  }

  async restoreSync(): Promise<void> {
    if (!this.#tracer) return;
    const ended = once(this.#tracer, 'exit');
    this.#tracer.kill('SIGINT');
    await ended;
    this.#tracer = undefined;
  }

  /** Resolves when a result of each of these tasks could not be stored. */
  async tried(taskIds: readonly string[]): Promise<void> {
    const { db } = this.installation;
    const fromMs = monotonicMs();
    for (;;) {
      const { rows } = await db!.query<{ waiting: number }>(
        `select count(*) as waiting from jobs where task_id = any($1::text[])
         and kind in ('submit', 'poll') and last_error is null`,
        [taskIds],
      );
      if (rows[0]!.waiting === 0) return;
      if (monotonicMs() - fromMs > triedMsMax) throw new Error('nothing was tried in vain');
      await sleep(pollMs);
    }
  }

  /** As if an hour had passed: for those who cannot wait for it. */
  async reachDeadline(taskId: string): Promise<void> {
    const { db } = this.installation;
    await db!.query(`update tasks set deadline_at = now() where id = $1`, [taskId]);
    await db!.query(
      `update jobs set run_at = now(), ready = true
       where task_id = $1 and kind = 'poll' and lease_until is null`,
      [taskId],
    );
  }

  /** Whatever can be had of a result is the whole of it, at any time. */
  async halfFiles(): Promise<string[]> {
    const { clients, url } = this.installation;
    const { key } = await this.installation.account();
    const violations: string[] = [];
    for (const taskId of clients.acknowledged.values()) {
      const { status, data } = await clientOf(url, key).task(taskId);
      if (status !== 'completed') continue;
      const response = await fetch(data?.results[0] ?? '');
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.status === 200 && bytes.equals(this.#video)) continue;
      violations.push(`${taskId}: ${response.status}, ${bytes.length} bytes`);
    }
    return violations;
  }

  /** Space is back: everything comes to its end, and no copy in the making is left behind. */
  async recovered(taskNumbers: readonly number[]): Promise<Findings> {
    const expected = { taskNumbers, results: 'kept' } as const;
    await waitForEnd(this.installation, expected);
    const findings = await inspectTasks(this.installation, expected);
    const half = await this.halfFiles();
    const left = await readdir(this.#path('results', '.incoming'));
    const broken = [...findings.broken, ...half, ...left.map((name) => `${name} is left behind`)];
    return { ...findings, broken };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.restoreSync();
    await this.installation.close();
  }

  /** Mounts of the process, seen from outside. */
  #path(...parts: readonly string[]): string {
    return join(`/proc/${this.#process.pid}/root`, this.installation.home, ...parts);
  }
}

const isWritten = ({ bytesWritten }: { bytesWritten: number }): boolean => bytesWritten > 0;

function isFull(error: NodeJS.ErrnoException): boolean {
  if (error.code !== 'ENOSPC') throw error;
  return false;
}
