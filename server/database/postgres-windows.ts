/**
 * Runs the own PostgreSQL on Windows, where Node cannot reach its sockets: on a port of this
 * machine, with a password. `pg_ctl` starts the server, because it drops the rights of an
 * administrator, whom PostgreSQL refuses. A server whose service was killed stays until the next
 * start, which stops it.
 */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../process/clock.ts';
import {
  type Access,
  type Cluster,
  databaseUser,
  serverEnvironment,
  settingArgs,
} from './postgres-cluster.ts';
import {
  acceptsConnections,
  type ServerKind,
  type ServerProcess,
  type StartServerOptions,
} from './postgres-process.ts';

const watchMs = 1000;

export const windowsServer: ServerKind = {
  access,
  address: (home) => ({
    url: `postgres://${databaseUser}:${readPassword(home)}@127.0.0.1:${portOf(home)}/postgres`,
    [Symbol.dispose]() {},
  }),
  start,
};

function access(home: string): Access {
  readPassword(home);
  return {
    settings: ['listen_addresses=127.0.0.1', `port=${portOf(home)}`, 'unix_socket_directories='],
    passwordFile: passwordFile(home),
  };
}

/** One port per home directory, known to all of its processes. */
function portOf(home: string): number {
  return 20_000 + (createHash('sha256').update(home).digest().readUInt16BE() % 10_000);
}

const passwordFile = (home: string): string => join(home, 'postgres-password');

/** Synced before the cluster is created with it: a power cut must not leave one without it. */
function readPassword(home: string): string {
  const file = passwordFile(home);
  const isStored = existsSync(file) && statSync(file).size > 0;
  if (!isStored) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600, flush: true });
  return readFileSync(file, 'utf8');
}

async function start(cluster: Cluster, options: StartServerOptions): Promise<ServerProcess> {
  const { data } = cluster;
  const home = join(data, '..');
  const stop = async () => void (await control(cluster, ['stop', '-w', '-m', 'fast']));
  if (await acceptsConnections(options.url)) await stop();
  const log = join(home, 'postgres.log');
  const args = ['-w', '-t', '600', '-l', log, '-o', settingArgs(access(home)).join(' ')];
  const code = await control(cluster, ['start', ...args]);
  if (code !== 0) {
    const output = existsSync(log) ? readFileSync(log, 'utf8').slice(-4000) : '';
    throw new Error(`PostgreSQL did not start:\n${output}`);
  }
  const refuse = () => control(cluster, ['stop', '-W', '-m', 'smart']);
  return { exited: waitUntilGone(join(data, 'postmaster.pid')), refuse, stop };
}

/** Runs `pg_ctl`, without pipes: the server would inherit and keep them. Returns its exit code. */
async function control({ binaries, data, runner }: Cluster, args: string[]): Promise<number> {
  const { through, user } = runner;
  const [program = '', ...rest] = [...through, join(binaries, 'pg_ctl'), ...args, '-D', data];
  const child = spawn(program, rest, {
    cwd: '/',
    env: serverEnvironment(),
    // On other systems, a session of its own, as in postgres-process.ts.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: 'ignore',
    ...user,
  });
  const [code] = await once(child, 'exit');
  return code as number;
}

async function waitUntilGone(file: string): Promise<void> {
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') return;
    }
    await sleep(watchMs);
  }
}
