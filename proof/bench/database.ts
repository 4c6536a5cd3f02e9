/**
 * A PostgreSQL of a benchmark: the service's own binaries with the service's own settings, so that
 * a commit waits for the disk. Ends with this process.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../server/database/migrate.ts';
import { openOwnPostgres } from '../../server/database/own-postgres.ts';
import { openPostgres } from '../../server/database/postgres.ts';
import { lockHome } from '../../server/process/home-lock.ts';
import { createLog } from '../../server/telemetry/log.ts';

export type BenchDatabase = Awaited<ReturnType<typeof startDatabase>>;

export async function startDatabase(home: string) {
  await using stack = new AsyncDisposableStack();
  stack.use(lockHome(home));
  const server = await openOwnPostgres({ home, log: createLog('warn') });
  const { url } = server;
  stack.defer(() => server.stop());
  const db = await openPostgres(url, { onError: () => {} });
  stack.defer(() => db.close());
  await migrate(db);
  /** The server process, whose descendants are all of PostgreSQL. */
  const pid = Number.parseInt(readFileSync(join(home, 'postgres/postmaster.pid'), 'utf8'), 10);
  const walSql = `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes`;
  const walBytes = async () => (await db.query<{ bytes: number }>(walSql)).rows[0]!.bytes;
  const owned = stack.move();
  return { url, pid, db, walBytes, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
