/**
 * Runs the server process of the own PostgreSQL. The server ends when this process ends, however
 * that happens, and never by a signal that a terminal sends to this process.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { sleep } from '../process/clock.ts';
import {
  type Access,
  type Cluster,
  databaseUser,
  serverEnvironment,
  settingArgs,
} from './postgres-cluster.ts';

const pollMs = 20;
/** While the server starts, the wait between two polls grows: a recovery can take minutes. */
const pollMsMax = 500;
const pollGrowth = 1.3;
const damagedMs = 200;
const connectMsMax = 5000;
const outputCharactersMax = 4000;
const outputMsMax = 1000;
const socketName = '.s.PGSQL.5432';
/** The bytes of a socket's path on macOS; Linux has a few more. */
const socketPathBytesMax = 103;

/**
 * Stops the server when standard input closes: on `stop`, and when this process is gone. Exits when
 * the server does. Ignores the signals that systemd sends to every process of a service. The signal
 * is repeated, because a server that has just been started does not handle it yet.
 */
const keeper = `
trap '' HUP INT TERM
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r _ <&3; while kill -INT $server; do sleep 1; done; } 2>/dev/null &
exec 3<&-
wait $server
code=$?
kill -KILL $! 2>/dev/null
exit $code`;

/** Another process of this data directory is still there, such as a backend that has to notice. */
const isHeld =
  /lock file "[^"]*" already exists|shared memory block \(key \d+, ID \d+\) is still in use/;

export type ServerProcess = {
  /** Resolves when the server, or the process that keeps it, has ended. */
  readonly exited: Promise<unknown>;
  /** Refuses new connections; the server ends when the last one is closed. */
  refuse(): Promise<unknown>;
  stop(): Promise<void>;
};

export type StartServerOptions = {
  readonly url: string;
  readonly signal?: AbortSignal;
  readonly onOutput?: (text: string) => void;
};

/** How the server is run and reached on an operating system. */
export type ServerKind = {
  access(home: string): Access;
  address(home: string, data: string): Disposable & { readonly url: string };
  start(cluster: Cluster, options: StartServerOptions): Promise<ServerProcess>;
};

/** A server that is reached through a socket in its data directory. */
export const socketServer: ServerKind = {
  access: () => socketAccess,
  address: (_home, data) => socketAddress(data),
  start: startServer,
};

const socketAccess: Access = {
  settings: [
    'listen_addresses=',
    // Relative to the data directory: the path has no length limit, and the home can be moved.
    'unix_socket_directories=.',
    'unix_socket_permissions=0700',
  ],
};

/**
 * Starts a server and waits until it accepts connections, which may take long after a crash. The
 * caller has locked the cluster: a server that still runs on it is that of a dead process, and is
 * stopped.
 */
async function startServer(
  cluster: Cluster,
  { url, signal, onOutput = () => {} }: StartServerOptions,
): Promise<ServerProcess> {
  for (;;) {
    await endServer(cluster.data);
    await removeDamagedLocks(cluster.data);
    const child = spawnServer(cluster);
    let output = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-outputCharactersMax);
      onOutput(text);
    });
    const closed = once(child, 'close').catch(() => {});
    const exited = once(child, 'exit').finally(() => child.stdin?.destroy());
    // Without a listener, writing to a server that has just ended would be an uncaught error.
    child.stdin?.on('error', () => {});
    const stop = async () => {
      child.stdin?.end();
      await endServer(cluster.data);
      await exited;
    };
    const refuse = async () => {
      const pid = readPid(join(cluster.data, 'postmaster.pid'));
      if (pid !== undefined && isServerOf(pid, cluster.data)) signalProcess(pid, 'SIGTERM');
    };
    const hasExited = exited.then(() => true);
    let waitMs = pollMs;
    while (!(await Promise.race([hasExited, sleep(waitMs)]))) {
      waitMs = Math.min(waitMs * pollGrowth, pollMsMax);
      if (await acceptsConnections(url)) return { exited, refuse, stop };
      if (!signal?.aborted) continue;
      await stop();
      throw new Error('the start of the database was cancelled');
    }
    // What it wrote last may arrive after its exit.
    await Promise.race([closed, sleep(outputMsMax)]);
    if (!isHeld.test(output)) throw new Error(`PostgreSQL did not start:\n${output}`);
  }
}

function spawnServer({ data, binaries, runner: { user, through } }: Cluster): ChildProcess {
  const server = [join(binaries, 'postgres'), '-D', data, ...settingArgs(socketAccess)];
  return spawn('/bin/sh', ['-c', keeper, 'sh', ...through, ...server], {
    cwd: '/',
    env: serverEnvironment(),
    // A session of its own: Ctrl-C in a terminal would make PostgreSQL disconnect everyone.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    ...user,
  });
}

/**
 * Stops the server of this data directory, if there is one. If another live process has the number
 * in its file, PostgreSQL would refuse to start: the file goes, that process stays.
 */
async function endServer(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  const pid = readPid(file);
  if (pid === undefined || !signalProcess(pid, 0)) return;
  if (isServerOf(pid, data)) signalProcess(pid, 'SIGINT');
  while (isServerOf(pid, data)) await sleep(pollMs);
  if (readPid(file) !== pid) return;
  for (const path of [file, join(data, `${socketName}.lock`)]) rmSync(path, { force: true });
}

/**
 * Removes lock files without a number, with which PostgreSQL refuses to start: a power cut leaves
 * them empty when it comes before they are synced.
 */
async function removeDamagedLocks(data: string): Promise<void> {
  for (const name of ['postmaster.pid', `${socketName}.lock`]) {
    const file = join(data, name);
    if (!existsSync(file) || readPid(file) !== undefined) continue;
    // A server that is just being started writes its number at once.
    await sleep(damagedMs);
    if (readPid(file) === undefined) rmSync(file, { force: true });
  }
}

function readPid(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

/** Returns false if there is no such process. */
function signalProcess(pid: number, signal: 0 | 'SIGINT' | 'SIGTERM'): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A server works in its data directory, wherever that was moved meanwhile. */
function isServerOf(pid: number, data: string): boolean {
  try {
    if (process.platform !== 'linux') {
      const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], {
        encoding: 'utf8',
      });
      return command.includes('postgres') && command.includes(`-D ${data}`);
    }
    // Slim images have no `ps`. The folder of a zombie cannot be read.
    const [theirs, ours] = [`/proc/${pid}/cwd`, data].map((path) => statSync(path));
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    return name === 'postgres' && theirs!.ino === ours!.ino && theirs!.dev === ours!.dev;
  } catch {
    return false;
  }
}

/** The URL of a cluster's socket. A path that is too long gets a short link in a private folder. */
function socketAddress(data: string): Disposable & { readonly url: string } {
  const isShort = Buffer.byteLength(join(data, socketName)) <= socketPathBytesMax;
  const folder = isShort ? undefined : mkdtempSync(join(tmpdir(), 'vidgen-'));
  const host = folder === undefined ? data : join(folder, 'db');
  if (folder !== undefined) symlinkSync(data, host);
  return {
    url: `postgres://${databaseUser}@localhost/postgres?host=${encodeURIComponent(host)}`,
    [Symbol.dispose]() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function acceptsConnections(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectMsMax,
    query_timeout: connectMsMax,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
