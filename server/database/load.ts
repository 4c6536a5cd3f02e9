/**
 * Fills an empty database with the rows of another one, in a single transaction: when it is cut,
 * the database stays empty. The schema is created by the migrations that the rows were written
 * under; after the rows, every constraint is checked and the later migrations run.
 */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { ConfigError } from '../config/config.ts';
import type { Database, Queryable, Transaction } from './database.ts';
import { beginLong } from './long-transaction.ts';
import {
  type AppliedMigration,
  type Migration,
  migrate,
  migrationLock,
  newerMigration,
  readMigrations,
} from './migrate.ts';
import { findMissingRights } from './missing-rights.ts';
import type { SequenceValue, TableColumns } from './snapshot.ts';

export type StoredDatabase = {
  readonly migrations: readonly AppliedMigration[];
  readonly tables: readonly TableColumns[];
  read(table: TableColumns): Promise<Readable>;
  /** How many rows there are in the stream of the table that was read last. */
  countRead(): Promise<number>;
  /** Called after all tables. */
  readSequences(): Promise<readonly SequenceValue[]>;
};

export type LoadOptions = {
  /** Applied after the rows; all of this version if not given. Tests stop at earlier ones. */
  readonly migrations?: readonly Migration[];
  readonly onTable: (table: string, rows: number) => void;
  /** Runs in the same transaction, when everything is loaded and migrated. */
  readonly finish: (db: Queryable) => Promise<void>;
};

/**
 * Throws `ConfigError` if the target cannot be used: it is missing, has tables, or does not let its
 * user create them; or if the rows are of a newer version.
 */
export async function loadDatabase(
  url: string,
  stored: StoredDatabase,
  { migrations, onTable, finish }: LoadOptions,
): Promise<void> {
  const mode = 'isolation level read committed read write';
  const { client, tx, commit, close } = await beginLong(url, { mode, name: 'vidgen restore' });
  try {
    const missingRights = await findMissingRights(tx);
    if (missingRights) throw new ConfigError([missingRights]);
    await lockEmptyDatabase(tx);
    const db = databaseOf(tx);
    await migrate(db, { migrations: migrationsOf(stored.migrations) });
    const { rows: tables } = await tx.query<{ name: string }>(ownTablesSql);
    const names = new Set(tables.map(({ name }) => name));
    const constraints = await suspendConstraints(tx, [...names]);
    for (const table of stored.tables.filter(({ name }) => names.has(name))) {
      const loaded = await copyRows(client, table, await stored.read(table));
      const rows = await stored.countRead();
      if (loaded !== rows) throw new Error(`${table.name}: ${loaded} of ${rows} rows were loaded`);
      onTable(table.name, rows);
    }
    for (const { name, last } of await stored.readSequences()) {
      await tx.query(
        `select setval(to_regclass($1), $2::bigint) where to_regclass($1) is not null`,
        [pg.escapeIdentifier(name), last],
      );
    }
    await constraints.restore();
    await migrate(db, migrations ? { migrations } : {});
    await tx.query('analyze');
    await finish(tx);
    await commit();
  } finally {
    await close();
  }
}

/** Keeps services from starting on the database until the end of the transaction. */
async function lockEmptyDatabase(tx: Transaction): Promise<void> {
  const { rows: locks } = await tx.query<{ locked: boolean }>(
    'select pg_try_advisory_xact_lock($1) as locked',
    [migrationLock],
  );
  if (!locks[0]?.locked) {
    throw new ConfigError(['another vidgen is starting on the database; stop it and try again']);
  }
  const { rows } = await tx.query<{ name: string }>(`${ownTablesSql} limit 1`);
  if (rows.length === 0) return;
  throw new ConfigError([
    `the database is not empty (it has a table ${rows[0]!.name}); name an empty database`,
  ]);
}

/** Tables of an extension may be in a database that counts as empty. */
const ownTablesSql = `
  select c.relname as name from pg_class c
   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
     and c.relname <> 'migrations'
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
   order by 1`;

/** The migrations of this version with these names; throws `ConfigError` if one is unknown. */
export function migrationsOf(applied: readonly AppliedMigration[]) {
  const newer = newerMigration(applied);
  if (newer) throw new ConfigError([newer]);
  const digests = new Map(applied.map(({ name, digest }) => [name, digest]));
  const known = readMigrations().filter(({ name, digest }) => digests.get(name) === digest);
  if (known.length === applied.length) return known;
  throw new ConfigError(['the data was written under other migrations than those of this version']);
}

/** A database whose transactions are parts of `tx`, for migrations. */
const databaseOf = (tx: Transaction): Database => ({
  query: (statement, values) => tx.query(statement, values),
  transaction: (work) => tx.savepoint(work),
  // No other transaction sees these tables, so an index blocks none while it is built.
  runAlone: async (statement) =>
    void (await tx.query(statement.replace(/\bindex\s+concurrently\b/gi, 'index'))),
  listen: () => Promise.reject(new Error('a load receives no notifications')),
  close: async () => {},
});

const constraintsSql = `
  select conrelid::regclass::text as "table", quote_ident(conname) as name,
         pg_get_constraintdef(oid) as definition
    from pg_constraint
   where connamespace = current_schema()::regnamespace
     and (contype = 'f' or contype = 'c' and not convalidated)`;

/**
 * Drops what rows in any order would violate: foreign keys, and constraints that earlier rows need
 * not meet. Triggers do not run either, since their effects are rows of the dump. `restore` creates
 * the constraints again, which checks every row. Needs no rights but those of the owner.
 */
async function suspendConstraints(tx: Transaction, tables: readonly string[]) {
  type Constraint = Readonly<Record<'table' | 'name' | 'definition', string>>;
  const { rows } = await tx.query<Constraint>(constraintsSql);
  const quoted = tables.map((name) => pg.escapeIdentifier(name));
  for (const table of quoted) await tx.query(`alter table ${table} disable trigger user`);
  for (const { table, name } of rows) {
    await tx.query(`alter table ${table} drop constraint ${name}`);
  }
  // Migrations insert some rows of their own.
  if (quoted.length > 0) await tx.query(`truncate ${quoted.join(', ')}`);
  return {
    async restore() {
      for (const { table, name, definition } of rows) {
        await tx.query(`alter table ${table} add constraint ${name} ${definition}`);
      }
      for (const table of quoted) await tx.query(`alter table ${table} enable trigger user`);
    },
  };
}

async function copyRows(
  client: pg.Client,
  { name, columns }: TableColumns,
  source: Readable,
): Promise<number> {
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  const sink = client.query(copyFrom(`copy ${pg.escapeIdentifier(name)} (${list}) from stdin`));
  await pipeline(source, sink);
  return sink.rowCount;
}
