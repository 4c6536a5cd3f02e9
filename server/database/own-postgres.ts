/**
 * The database of a home directory without VIDGEN_DATABASE_URL: a PostgreSQL that the service runs
 * itself, reached through a socket that only its user can open. Of several processes that share the
 * home, one runs the server; when it ends in any way, another one takes over.
 */
import { once } from 'node:events';
import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { ConfigError } from '../config/config.ts';
import { monotonicMs, sleep } from '../process/clock.ts';
import { tryLockServer } from '../process/home-lock.ts';
import type { Log } from '../telemetry/log.ts';
import {
  type Cluster,
  checkVersion,
  closeToOthers,
  createCluster,
  findOwnBinaries,
  removeUnfinished,
} from './postgres-cluster.ts';
import {
  acceptsConnections,
  type ServerKind,
  type ServerProcess,
  socketServer,
} from './postgres-process.ts';
import { chooseRunner } from './postgres-user.ts';
import { windowsServer } from './postgres-windows.ts';

/** How often a process without the server checks whether it has to take over. */
const takeoverMs = 200;
/** The wait after a start that failed, for example on a full disk. */
const retryMs = 1000;
/** A server that another process has just lost may still be ending. */
const firstStartRetries = 3;
const logBytesMax = 5_000_000;
/** How long a server that stops waits for the statements of other processes. */
const leaveMsMax = 3000;
const leaveMs = 100;

/** Tells the processes that share the home that the server stops as soon as all have left it. */
export const stopChannel = 'server_stops';

export type OwnPostgres = {
  readonly url: string;
  /** Stops the server if this process runs it. Call it after all connections are closed. */
  stop(): Promise<void>;
};

export type OwnPostgresOptions = {
  readonly home: string;
  readonly log: Log;
  /** Another system than this one, for tests. */
  readonly platform?: NodeJS.Platform;
  /** Called before the very first start, which takes seconds. */
  readonly onCreate?: () => void;
  /** Fills a new cluster before it is put in its place. Its server can read files in `data`. */
  readonly fill?: (cluster: { readonly url: string; readonly data: string }) => Promise<void>;
};

/** The URL of the server that another process of the home directory runs. */
export function ownPostgresUrl(home: string): Disposable & { readonly url: string } {
  const kind = process.platform === 'win32' ? windowsServer : socketServer;
  return kind.address(resolve(home), join(resolve(home), 'postgres'));
}

/** The caller has locked the home directory. Resolves when the database accepts connections. */
export async function openOwnPostgres(given: OwnPostgresOptions): Promise<OwnPostgres> {
  const { platform = process.platform } = given;
  const kind = platform === 'win32' ? windowsServer : socketServer;
  const options: KeptOptions = { ...given, home: resolve(given.home), kind };
  // They are meant for another server, and would reach the driver.
  for (const name of Object.keys(process.env))
    if (/^PG[A-Z]+$/.test(name)) delete process.env[name];
  const address = kind.address(options.home, join(options.home, 'postgres'));
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

type KeptOptions = OwnPostgresOptions & { readonly kind: ServerKind };

type Keeping = {
  readonly url: string;
  readonly stopping: AbortSignal;
  /** Aborted when the database first accepts connections, whichever process runs the server. */
  readonly ready: AbortController;
};

/**
 * Runs the server whenever no other process does, until stopped. Tries again whenever the server
 * ends or does not start, for as long as the disk is full or memory is short. Throws only if the
 * database has never been ready, and for a mistake in the settings at once.
 */
async function keepServer(options: KeptOptions, keeping: Keeping): Promise<void> {
  const { url, stopping, ready } = keeping;
  for (let failures = 0; !stopping.aborted; ) {
    try {
      using lock = tryLockServer(options.home);
      if (lock) {
        await runServer(options, keeping);
        failures = 0;
      } else {
        if (!ready.signal.aborted && (await acceptsConnections(url))) ready.abort();
        await sleep(takeoverMs, stopping);
      }
    } catch (error) {
      const isFinal = error instanceof ConfigError || failures >= firstStartRetries;
      if (!ready.signal.aborted && isFinal) {
        throw error instanceof ConfigError ? error : new ConfigError([(error as Error).message]);
      }
      if (stopping.aborted) return;
      if (failures++ === 0) options.log.error({ error }, 'database server did not start, retrying');
      await sleep(retryMs, stopping);
    }
  }
}

/** Runs the server until it ends, or stops it. Throws if it does not start. */
async function runServer(options: KeptOptions, keeping: Keeping): Promise<void> {
  const { home, log, kind } = options;
  const { url, stopping, ready } = keeping;
  const cluster = await prepareCluster(options);
  const onOutput = serverLog(join(home, 'postgres.log'));
  const server = await kind.start(cluster, { url, signal: stopping, onOutput });
  if (ready.signal.aborted) log.warn('database server started');
  ready.abort();
  if (!stopping.aborted) await Promise.race([server.exited, once(stopping, 'abort')]);
  if (stopping.aborted) {
    await waitForOthers(server, url);
    await server.stop();
  } else log.error('database server ended');
}

/**
 * Other processes finish their statements and leave; what they want from then on waits until one of
 * them has started the server again.
 */
async function waitForOthers(server: ServerProcess, url: string): Promise<void> {
  const limits = { connectionTimeoutMillis: leaveMsMax, query_timeout: leaveMsMax };
  const client = new pg.Client({ connectionString: url, ...limits });
  client.on('error', () => {});
  const hasOthers = async () => {
    const { rows } = await client.query<{ others: number }>(
      `select count(*)::int as others from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return rows[0]!.others > 0;
  };
  try {
    await client.connect();
    if (!(await hasOthers())) return;
    await server.refuse();
    const untilMs = monotonicMs() + leaveMsMax;
    // Repeated, since a process may have connected just before the server began to refuse.
    while (monotonicMs() < untilMs && (await hasOthers())) {
      await client.query(`notify ${stopChannel}`);
      await sleep(leaveMs);
    }
  } catch {
    // A server that does not respond is stopped all the same.
  } finally {
    await client.end().catch(() => {});
  }
}

async function prepareCluster({ home, kind, onCreate, fill }: KeptOptions): Promise<Cluster> {
  const data = join(home, 'postgres');
  const { binaries, major } = findOwnBinaries();
  const cluster = { data, binaries, runner: chooseRunner({ home, data, binaries }) };
  removeUnfinished(data);
  if (!existsSync(data)) {
    onCreate?.();
    const fillNew = async (unfinished: Cluster) => {
      if (!fill) return;
      using address = kind.address(home, unfinished.data);
      const { url } = address;
      const server = await kind.start(unfinished, { url });
      await fill({ url, data: unfinished.data });
      await server.stop();
    };
    await createCluster(cluster, { access: kind.access(home), fill: fillNew });
  }
  checkVersion(data, major);
  closeToOthers(data);
  return cluster;
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
