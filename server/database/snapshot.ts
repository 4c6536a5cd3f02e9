/**
 * Reads every table as it was at one point in time, while the service runs. Rows are in the text
 * format of COPY, which keeps every value as it is and which any PostgreSQL from version 15 reads.
 */
import type { Readable } from 'node:stream';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { ConfigError } from '../config/config.ts';
import type { Queryable } from './database.ts';
import { beginLong } from './long-transaction.ts';
import { type AppliedMigration, newerMigration } from './migrate.ts';

export type TableColumns = { readonly name: string; readonly columns: readonly string[] };
/** The last value as text, since it may exceed what a number holds exactly. */
export type SequenceValue = { readonly name: string; readonly last: string };

export type Snapshot = {
  /** Queries see the same rows as `read`. */
  readonly db: Queryable;
  readonly takenAt: Date;
  readonly migrations: readonly AppliedMigration[];
  readonly tables: readonly TableColumns[];
  /** One table at a time; the stream must be read to its end. */
  read(table: TableColumns): Readable;
  /** How many rows the stream of the last `read` had. */
  countRead(): Promise<number>;
  /**
   * Read after the tables: a sequence is not part of the snapshot, and a value beyond the rows is
   * harmless.
   */
  readSequences(): Promise<SequenceValue[]>;
  close(): Promise<void>;
};

const tablesSql = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
   where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
     and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     and c.relname <> 'migrations'
   group by c.oid order by 1`;

const sequencesSql = `
  select sequencename as name, last_value::text as last
    from pg_sequences where schemaname = current_schema() and last_value is not null order by 1`;

/** Throws `ConfigError` if the database is empty, or newer than this version. */
export async function openSnapshot(url: string): Promise<Snapshot> {
  const mode = 'isolation level repeatable read read only';
  const { client, tx, restart, close } = await beginLong(url, { mode, name: 'vidgen backup' });
  let lastRead: ReturnType<typeof copyTo> | undefined;
  try {
    await requireTables(tx);
    const { rows: locked } = await tx.query<TableColumns>(tablesSql);
    await restart();
    // Before the first row is read: a table that a migration rewrites afterwards would be empty in
    // this snapshot. Reads and writes of the service do not wait for this lock.
    const names = locked.map(({ name }) => pg.escapeIdentifier(name));
    await tx.query(`lock table ${names.join(', ')} in access share mode`);
    const migrations = await readMigrationRows(tx);
    const newer = newerMigration(migrations);
    if (newer) throw new ConfigError([newer]);
    const { rows: times } = await tx.query<{ at: Date }>('select now() as at');
    const { rows: tables } = await tx.query<TableColumns>(tablesSql);
    return {
      db: tx,
      takenAt: times[0]!.at,
      migrations,
      tables,
      read({ name, columns }) {
        const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
        lastRead = client.query(copyTo(`copy ${pg.escapeIdentifier(name)} (${list}) to stdout`));
        return lastRead;
      },
      async countRead() {
        // The count arrives after the end of the stream, and before the result of any statement.
        await tx.query('select 1');
        return lastRead?.rowCount ?? 0;
      },
      readSequences: async () => (await tx.query<SequenceValue>(sequencesSql)).rows,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function requireTables(tx: Queryable): Promise<void> {
  const { rows } = await tx.query(`select to_regclass('accounts') as "table"`);
  if (rows[0]?.table !== null) return;
  throw new ConfigError(['the database has no tables of vidgen; check VIDGEN_DATABASE_URL']);
}

async function readMigrationRows(tx: Queryable): Promise<AppliedMigration[]> {
  const { rows } = await tx.query<AppliedMigration>(
    'select name, digest from migrations order by name',
  );
  return rows;
}
