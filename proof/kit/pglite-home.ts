/**
 * A home directory as versions before PostgreSQL made it: the data in PGlite, with an account and
 * four weeks of tasks.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import {
  type Database,
  type PreparedStatement,
  type Queryable,
  type Row,
  textOf,
} from '../../server/database/database.ts';
import { migrate, readMigrations } from '../../server/database/migrate.ts';
import { runTransaction } from '../../server/database/transaction.ts';
import { type SeededAccount, seedAccount } from './seed.ts';
import { seedTaskHistory } from './seed-task-history.ts';

const int8 = 20;
const packages = join(import.meta.dirname, '../../node_modules/@electric-sql');

const laterColumns = [
  ['webhook_url', 'text'],
  ['retention', 'jsonb'],
  ['erasure_started_at', 'timestamptz'],
  ['erased_at', 'timestamptz'],
  ['suspended_at', 'timestamptz'],
  ['suspension_note', 'text'],
  ['creates_per_minute_max', 'integer'],
  ['running_tasks_max', 'integer'],
] as const;

/** Creates the data at the given migration, by default at the last one of those versions. */
export async function makePgliteHome(
  home: string,
  { lastMigration = '0019' }: { readonly lastMigration?: string } = {},
): Promise<SeededAccount> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const pglite = await PGlite.create({
    dataDir: join(home, 'database'),
    parsers: { [int8]: Number },
  });
  const connection: Queryable = {
    async query<R extends Row>(
      statement: string | PreparedStatement,
      values: readonly unknown[] = [],
    ) {
      const text = textOf(statement);
      const result =
        values.length === 0
          ? (await pglite.exec(text)).at(-1)
          : await pglite.query(text, [...values]);
      const rows = (result?.rows ?? []) as R[];
      return { rows, rowCount: result?.affectedRows || rows.length };
    },
  };
  const db: Database = {
    ...connection,
    transaction: (work) => runTransaction(connection, work),
    runAlone: async (statement) => void (await connection.query(statement)),
    listen: async () => ({ stop: async () => {} }),
    close: () => pglite.close(),
  };
  await migrate(db, {
    migrations: readMigrations().filter(({ name }) => name <= lastMigration),
  });
  // The code of today names tables, columns and a permission of later migrations.
  const columns = laterColumns.map(([name, type]) => `add column ${name} ${type}`);
  await db.query(`alter table accounts ${columns.join(', ')}`);
  await db.query('alter table api_keys add column spending_cap bigint');
  await db.query('alter table api_keys add column spending_period text');
  await db.query('alter table api_keys drop constraint api_keys_permissions_check');
  await db.query('create table account_activity (account_id uuid)');
  await db.query('create table task_search_position (position text)');
  const account = await seedAccount(db, { credits: 100_000 });
  await seedTaskHistory(db, { account: account.accountId });
  await db.query('drop table account_activity, task_search_position');
  await db.query(`update api_keys set permissions = array_remove(permissions, 'tasks:delete')`);
  await db.query('alter table api_keys drop column spending_cap, drop column spending_period');
  const drops = laterColumns.map(([name]) => `drop column ${name}`);
  await db.query(`alter table accounts ${drops.join(', ')}`);
  await db.close();
  return account;
}

/** Puts the package that reads the data where the service looks for it before it asks npm. */
export function providePglite(home: string): void {
  const modules = join(home, 'pglite-import/node_modules');
  mkdirSync(modules, { recursive: true });
  symlinkSync(packages, join(modules, '@electric-sql'));
  writeFileSync(join(modules, '.package-lock.json'), '{}');
}
