/**
 * A PostgreSQL server of a test's own, by the binaries of the service. It can be crashed, started
 * again on the same port, and copied as a standby. It exits with this process; files of killed test
 * processes are deleted by the next one.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { appendFile, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  findOwnBinaries,
  type Cluster as OwnCluster,
  serverEnvironment,
} from '../../server/database/postgres-cluster.ts';
import { chooseRunner } from '../../server/database/postgres-user.ts';
import { sleep } from '../../server/process/clock.ts';
import { reservePort } from '../faults/service-process.ts';
import { deleteFolder, makeTemporaryFolder } from './temporary-folder.ts';

/** The modes of `pg_ctl stop -m`, and `kill -9`. */
export type StopMode = 'fast' | 'immediate' | 'kill';
const signals = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=100'];
const startsMax = 100;
const startAgainMs = 100;

export type ClusterOptions = {
  /** The data directory, by default in a folder of its own. */
  readonly data?: string;
  readonly settings?: readonly string[];
};

type ClusterParts = OwnCluster & {
  /** Deleted with the cluster; a standby lives in the folder of its primary. */
  readonly folder: string;
  readonly port: number;
};

/** The command that runs a program of PostgreSQL as a user that may. */
const commandOf = ({ binaries, runner }: OwnCluster, program: string): string[] => [
  ...runner.through,
  join(binaries, program),
];
const optionsOf = ({ runner }: OwnCluster) => ({
  cwd: '/',
  env: serverEnvironment(),
  ...runner.user,
});

async function run(cluster: OwnCluster, program: string, args: readonly string[]): Promise<void> {
  const [command = '', ...before] = commandOf(cluster, program);
  await promisify(execFile)(command, [...before, ...args], optionsOf(cluster));
}

/** A held resource: a data directory, and the server that runs on it. */
export class Cluster implements AsyncDisposable {
  readonly port: number;
  readonly #parts: ClusterParts;
  #settings: readonly string[];
  #server: ChildProcess | undefined;
  readonly #log: string[] = [];

  private constructor(parts: ClusterParts, more: readonly string[]) {
    this.port = parts.port;
    this.#parts = parts;
    this.#settings = more;
  }

  static async make(options: ClusterOptions = {}): Promise<Cluster> {
    const folder = makeTemporaryFolder('cluster');
    chmodSync(folder, 0o755);
    const data = options.data ?? join(folder, 'data');
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const { binaries } = findOwnBinaries();
    const runner = chooseRunner({ home: folder, data, binaries });
    const args = ['-U', 'vidgen', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-instructions'];
    await run({ data, binaries, runner }, 'initdb', ['-D', data, ...args, '-N']);
    const parts = { folder, data, port: await reservePort(), binaries, runner };
    const cluster = new Cluster(parts, options.settings ?? []);
    await cluster.start();
    return cluster;
  }

  get url(): string {
    return `postgres://vidgen@127.0.0.1:${this.port}/postgres`;
  }

  get isRunning(): boolean {
    return this.#server !== undefined;
  }

  /** Tells whether the server logs this text from now on. */
  watchLog(text: string): { isLogged(): boolean } {
    const from = this.#log.length;
    return { isLogged: () => this.#log.slice(from).join('').includes(text) };
  }

  /**
   * Resolves when the server accepts connections, a standby when it accepts reads. Retried, since
   * the remains of a killed server may hold its shared memory for a short time.
   */
  async start(more = this.#settings): Promise<void> {
    this.#settings = more;
    for (let start = 1; ; start++) {
      try {
        return await this.#launch();
      } catch (error) {
        if (start === startsMax) throw error;
        await sleep(startAgainMs);
      }
    }
  }

  async stop(how: StopMode): Promise<void> {
    const server = this.#server;
    if (!server) return;
    const ended = once(server, 'exit');
    server.kill(signals[how]);
    await ended;
  }

  /** `kill -9` of one session, as the kernel does without memory: PostgreSQL ends all others. */
  async killSession(pid: number): Promise<void> {
    const ready = this.#waitForLog('ready to accept');
    process.kill(pid, 'SIGKILL');
    await ready;
  }

  /** Copies the files of this cluster, which must be stopped, to a standby that follows it. */
  async copyAsStandby(): Promise<Cluster> {
    const { folder, data, runner } = this.#parts;
    const port = await reservePort();
    const copy = join(folder, `standby-${port}`);
    await cp(data, copy, { recursive: true });
    await writeFile(join(copy, 'standby.signal'), '');
    const leader = `host=127.0.0.1 port=${this.port} user=vidgen application_name=standby`;
    await appendFile(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${leader}'\n`);
    const { user } = runner;
    if (user) await promisify(execFile)('chown', ['-R', `${user.uid}:${user.gid}`, copy]);
    chmodSync(copy, 0o700);
    const standby = new Cluster({ ...this.#parts, data: copy, port }, []);
    await standby.start();
    return standby;
  }

  async promote(): Promise<void> {
    await run(this.#parts, 'pg_ctl', ['promote', '-w', '-D', this.#parts.data]);
  }

  async close(): Promise<void> {
    await this.stop('immediate');
    deleteFolder(this.#parts.folder);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #launch(): Promise<void> {
    const { data, port } = this.#parts;
    const args = [...settings, ...this.#settings].flatMap((setting) => ['-c', setting]);
    const [command = '', ...before] = commandOf(this.#parts, 'postgres');
    const server = spawn(command, [...before, '-D', data, '-p', String(port), ...args], {
      ...optionsOf(this.#parts),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const killed = () => void server.kill('SIGKILL');
    process.once('exit', killed);
    server.once('exit', () => {
      process.removeListener('exit', killed);
      if (this.#server === server) this.#server = undefined;
    });
    this.#server = server;
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log.push(text);
    });
    await this.#waitForLog('ready to accept');
  }

  /** Resolves when the server logs the message; throws its output when it exits before. */
  async #waitForLog(message: string): Promise<void> {
    const server = this.#server!;
    let output = '';
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.once('exit', () => reject(new Error(`PostgreSQL exited:\n${output}`)));
      server.stderr!.on('data', (text: string) => {
        output += text;
        if (output.includes(message)) resolve();
      });
    });
  }
}
