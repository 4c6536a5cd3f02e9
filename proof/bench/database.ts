/**
 * A PostgreSQL of a benchmark: the service's own binaries with the service's own settings, so that
 * a commit waits for the disk. Ends with this process.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Database } from '../../server/database/database.ts';
import { migrate } from '../../server/database/migrate.ts';
import { openOwnPostgres } from '../../server/database/own-postgres.ts';
import { openPostgres } from '../../server/database/postgres.ts';
import { lockHome } from '../../server/process/home-lock.ts';
import { createLog } from '../../server/telemetry/log.ts';

export type BenchDatabase = AsyncDisposable & {
  readonly url: string;
  /** The server process, whose descendants are all of PostgreSQL. */
  readonly pid: number;
  readonly db: Database;
  /** For `Contender`. */
  walBytes(): Promise<number>;
};

export type DatabaseOptions = {
  /** Counts statements by `pg_stat_statements`, which costs time itself. */
  readonly countsStatements?: boolean;
};

export async function startDatabase(
  home: string,
  { countsStatements = false }: DatabaseOptions = {},
): Promise<BenchDatabase> {
  await using stack = new AsyncDisposableStack();
  stack.use(lockHome(home));
  const open = () => openOwnPostgres({ home, log: createLog('warn') });
  let server = await open();
  if (countsStatements) {
    const library = `shared_preload_libraries = 'pg_stat_statements'`;
    await runAlone(server.url, `alter system set ${library}`);
    await server.stop();
    server = await open();
    await runAlone(server.url, 'create extension if not exists pg_stat_statements');
  }
  const { url } = server;
  stack.defer(() => server.stop());
  const db = await openPostgres(url, { onError: () => {} });
  stack.defer(() => db.close());
  await migrate(db);
  const pid = Number.parseInt(readFileSync(join(home, 'postgres/postmaster.pid'), 'utf8'), 10);
  const walSql = `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes`;
  const walBytes = async () => (await db.query<{ bytes: number }>(walSql)).rows[0]!.bytes;
  const owned = stack.move();
  return { url, pid, db, walBytes, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function runAlone(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Forgets what was counted while the benchmark was prepared. */
export async function resetStatistics(db: Database): Promise<void> {
  await db.query(`select pg_stat_statements_reset(), pg_stat_reset_shared('wal')`);
}

/** WAL records, full page images and bytes since the last reset. */
export async function readWal(
  db: Database,
): Promise<{ records: number; images: number; bytes: number }> {
  const { rows } = await db.query<{ records: number; images: number; bytes: number }>(
    `select wal_records::float8 as records, wal_fpi::float8 as images, wal_bytes::float8 as bytes
     from pg_stat_wal`,
  );
  return rows[0]!;
}

/** The statements that took the longest, as lines of text. */
export async function slowestStatements(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ calls: number; ms: number; rows: number; text: string }>(
    `select calls::float8, total_exec_time as ms, rows::float8,
       left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as text
     from pg_stat_statements order by total_exec_time desc limit 15`,
  );
  return rows.map(
    ({ calls, ms, rows: count, text }) =>
      `${ms.toFixed(0).padStart(7)} ms ${String(calls).padStart(7)} calls ` +
      `${String(count).padStart(8)} rows  ${text}`,
  );
}
