/**
 * A service whose results are on small disks of its own, which can be filled and whose writes can
 * be made to fail. The disks are in memory and mounted in the namespace of the service process
 * only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { resultVideoPath } from '../../kit/result-server.ts';
import { clientOf } from '../../kit/service.ts';
import type { Findings } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';
import { loseNone } from '../upstream.ts';

const diskBytes = 4 * 1024 * 1024;
const pollMs = 50;
const rejectedMsMax = 60_000;

/** Where downloads go, and where results are stored. */
type DiskFolder = 'downloads' | 'results';
const folders: readonly DiskFolder[] = ['downloads', 'results'];

/** One disk for each folder, so that either can be full. */
const mounts = `
  for name in ${folders.join(' ')}; do
    mkdir -p "$0/$name" && mount -t tmpfs -o size=${diskBytes},mode=700 vidgen "$0/$name" || exit 1
  done
  exec "$@"`;

/** A held resource: an installation with one process, and its fault injection. */
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

  static async open(): Promise<ResultsDisk> {
    const installation = await Installation.open({ upstream: { lostPercent: loseNone } });
    const through = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', mounts];
    const process = installation.start({ through: [...through, installation.home] });
    await process.waitUntilServing();
    await installation.account();
    const video = await readFile(resultVideoPath);
    return new ResultsDisk({ installation, process, video });
  }

  async fill(folder: DiskFolder): Promise<void> {
    await using file = await open(this.#path(folder, 'fill'), 'w');
    for (const bytes of [65_536, 4096, 1]) {
      while (await file.write(Buffer.alloc(bytes)).then(isWritten, isFull));
    }
  }

  async free(): Promise<void> {
    for (const folder of folders) await rm(this.#path(folder, 'fill'), { force: true });
  }

  /** Makes every `fsync` of the process fail with this error. */
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

  /** Resolves when each of these tasks has failed to store its result once. */
  async waitUntilRejected(taskIds: readonly string[]): Promise<void> {
    const { db } = this.installation;
    const fromMs = monotonicMs();
    for (;;) {
      const { rows } = await db!.query<{ waiting: number }>(
        `select count(*) as waiting from jobs where task_id = any($1::text[])
         and kind in ('submit', 'poll') and last_error is null`,
        [taskIds],
      );
      if (rows[0]!.waiting === 0) return;
      if (monotonicMs() - fromMs > rejectedMsMax) throw new Error('no write failed');
      await sleep(pollMs);
    }
  }

  /** Sets the deadline of a task to now, since the test cannot wait an hour. */
  async reachDeadline(taskId: string): Promise<void> {
    const { db } = this.installation;
    await db!.query(`update tasks set deadline_at = now() where id = $1`, [taskId]);
    await db!.query(
      `update jobs set run_at = now(), ready = true
       where task_id = $1 and kind = 'poll' and lease_until is null`,
      [taskId],
    );
  }

  /** Completed tasks whose result is not the whole file. */
  async incompleteFiles(): Promise<string[]> {
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

  /** Inspects the tasks when space is back; no temporary file may be left. */
  async inspectRecovered(taskNumbers: readonly number[]): Promise<Findings> {
    const findings = await inspectEnd(this.installation, { taskNumbers });
    const incomplete = await this.incompleteFiles();
    const left = await readdir(this.#path('results', '.incoming'));
    const leftFiles = left.map((name) => `${name} was not deleted`);
    return { ...findings, broken: [...findings.broken, ...incomplete, ...leftFiles] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.restoreSync();
    await this.installation.close();
  }

  /** A path in the mount namespace of the process. */
  #path(...parts: readonly string[]): string {
    return join(`/proc/${this.#process.pid}/root`, this.installation.home, ...parts);
  }
}

const isWritten = ({ bytesWritten }: { bytesWritten: number }): boolean => bytesWritten > 0;

function isFull(error: NodeJS.ErrnoException): boolean {
  if (error.code !== 'ENOSPC') throw error;
  return false;
}
