/**
 * The database of a home directory without VIDGEN_DATABASE_URL: a PostgreSQL that the service runs
 * itself, reached through a socket that only its user can open. Of several processes that share the
 * home, one runs the server; when it ends in any way, another one takes over.
 */
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sleep } from '../clock.ts';
import { tryLockServer } from '../home-lock.ts';
import type { Log } from '../log.ts';
import {
  type Cluster,
  checkVersion,
  closeToOthers,
  createCluster,
  databaseUser,
  findOwnBinaries,
  socketName,
} from './postgres-cluster.ts';
import { acceptsConnections, startServer } from './postgres-process.ts';
import { chooseRunner } from './postgres-user.ts';

/** How often a process without the server checks whether it has to take over. */
const takeoverMs = 200;
/** The wait after a start that failed, for example on a full disk. */
const retryMs = 1000;
/** The bytes of a socket's path on macOS; Linux has a few more. */
const socketPathBytesMax = 103;
const logBytesMax = 5_000_000;

export type OwnPostgres = {
  readonly url: string;
  /** Stops the server if this process runs it. Call it after all connections are closed. */
  stop(): Promise<void>;
};

export type OwnPostgresOptions = {
  readonly home: string;
  readonly log: Log;
  /** Called before the very first start, which takes seconds. */
  readonly onCreate?: () => void;
  /** Fills a new cluster before it is used. */
  readonly fill?: (url: string) => Promise<void>;
};

/** The caller has locked the home directory. Resolves when the database accepts connections. */
export async function openOwnPostgres(given: OwnPostgresOptions): Promise<OwnPostgres> {
  const options = { ...given, home: resolve(given.home) };
  // They are meant for another server, and would reach the driver.
  for (const name of Object.keys(process.env))
    if (/^PG[A-Z]+$/.test(name)) delete process.env[name];
  const address = socketAddress(join(options.home, 'postgres'));
  const stopping = new AbortController();
  const ready = new AbortController();
  const signals = { stopping: stopping.signal, ready };
  const kept = keepServer(options, { url: address.url, ...signals });
  await Promise.race([kept, once(ready.signal, 'abort')]);
  return {
    url: address.url,
    async stop() {
      stopping.abort();
      await kept;
      address[Symbol.dispose]();
    },
  };
}

type Keeping = {
  readonly url: string;
  readonly stopping: AbortSignal;
  /** Aborted when the database first accepts connections, whichever process runs the server. */
  readonly ready: AbortController;
};

/** Runs the server whenever no other process does, until stopped. */
async function keepServer(options: OwnPostgresOptions, keeping: Keeping): Promise<void> {
  const { url, stopping, ready } = keeping;
  while (!stopping.aborted) {
    const lock = tryLockServer(options.home);
    if (lock) {
      try {
        await runServer(options, keeping);
      } finally {
        lock[Symbol.dispose]();
      }
    } else {
      if (!ready.signal.aborted && (await acceptsConnections(url))) ready.abort();
      await sleep(takeoverMs, stopping);
    }
  }
}

/**
 * Starts the server again whenever it ends, for as long as the disk is full or memory is short.
 * Throws if it does not start and the database has never been ready.
 */
async function runServer(options: OwnPostgresOptions, keeping: Keeping): Promise<void> {
  const { home, log } = options;
  const { url, stopping, ready } = keeping;
  const onOutput = serverLog(join(home, 'postgres.log'));
  for (let failures = 0; !stopping.aborted; ) {
    try {
      const cluster = await prepareCluster(options);
      const server = await startServer(cluster, { url, signal: stopping, onOutput });
      if (ready.signal.aborted) log.warn('database server started');
      ready.abort();
      failures = 0;
      if (!stopping.aborted) await Promise.race([server.exited, once(stopping, 'abort')]);
      if (stopping.aborted) await server.stop();
      else log.error('database server ended');
    } catch (error) {
      if (!ready.signal.aborted) throw error;
      if (stopping.aborted) return;
      if (failures++ === 0) log.error({ error }, 'database server did not start, retrying');
      await sleep(retryMs, stopping);
    }
  }
}

async function prepareCluster({ home, onCreate, fill }: OwnPostgresOptions): Promise<Cluster> {
  const data = join(home, 'postgres');
  const { binaries, major } = findOwnBinaries();
  const cluster = { data, binaries, runner: chooseRunner({ home, data, binaries }) };
  if (!existsSync(data)) {
    onCreate?.();
    await createCluster(cluster, async (unfinished) => {
      if (!fill) return;
      using address = socketAddress(unfinished.data);
      const server = await startServer(unfinished, { url: address.url });
      await fill(address.url);
      await server.stop();
    });
  }
  checkVersion(data, major);
  closeToOthers(data);
  return cluster;
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

/** Appends to a file, and keeps one older file of the same size. */
function serverLog(file: string): (text: string) => void {
  return (text) => {
    try {
      appendFileSync(file, text, { mode: 0o600 });
      if (statSync(file).size > logBytesMax) renameSync(file, `${file}.1`);
    } catch {
      // On a full disk the service goes on without this log.
    }
  };
}
