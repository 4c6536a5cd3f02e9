/**
 * Applies the numbered migrations in order, each once, also when several processes start together.
 * Forward only; a migration that changed after it was applied stops the start.
 *
 * A migration waits for a lock only briefly and then tries again: while it waits, every statement
 * on the same table waits behind it, and a backup may hold the lock for hours.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config/config.ts';
import { version } from '../config/version.ts';
import { monotonicMs, sleep } from '../process/clock.ts';
import { type Database, type Queryable, sqlState, type Transaction } from './database.ts';
import { lockMs, lockStatements } from './migration-locks.ts';
import { findMissingRights } from './missing-rights.ts';

const migrationsFolder = join(import.meta.dirname, 'migrations');
/** The first migration of versions before the baseline. */
const firstBefore030 = '0001_accounts';
/** An arbitrary number that every process uses. */
export const migrationLock = 7_416_030_129;
/** Between two tries, so that those statements run. */
const retryMs = 1_000;
const waitMsMax = 10 * 60_000;
/** A migration may rewrite a table. */
const statementMsMax = 30 * 60_000;
/**
 * The first line of a migration that builds indexes without blocking writes. Its statements run one
 * by one, each in a transaction of its own, and again if the migration is interrupted: they must be
 * repeatable, and each ends with the line.
 */
const concurrentMark = '-- concurrently\n';

/** As the database records it. */
export type AppliedMigration = { readonly name: string; readonly digest: string };
export type Migration = AppliedMigration & { readonly sql: string };

export type MigrateOptions = {
  readonly migrations?: readonly Migration[];
  /** Called before each retry. */
  readonly onWait?: (migration: string) => void;
  readonly waitMsMax?: number;
  readonly retryMs?: number;
};

/** Makes a migration of its SQL, as `readMigrations` does. */
export const toMigration = (name: string, sql: string): Migration => ({
  name,
  sql,
  digest: createHash('sha256').update(sql).digest('hex'),
});

export function readMigrations(folder = migrationsFolder): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) =>
      toMigration(file.replace(/\.sql$/, ''), readFileSync(join(folder, file), 'utf8')),
    );
}

/**
 * A message if a newer version of vidgen has migrated the data, whose rows this one would misread.
 * Migrations are compared by number, with the last one in `migrations`.
 */
export function newerMigration(
  applied: readonly Pick<AppliedMigration, 'name'>[],
  migrations: readonly Migration[] = readMigrations(),
): string | null {
  const numberOf = (name = '') => Number.parseInt(name, 10) || 0;
  const last = numberOf(migrations.at(-1)?.name);
  const newer = applied.find(({ name }) => numberOf(name) > last);
  return newer === undefined
    ? null
    : `the data was migrated by a newer vidgen (${newer.name}), and this one is ${version}; ` +
        'use that version or a later one';
}

const insufficientPrivilege = '42501';

/**
 * Throws `ConfigError` if the database is newer than `migrations`, has an applied one that was
 * changed, or does not give its user the right.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<void> {
  try {
    await applyAll(db, options);
  } catch (error) {
    if (sqlState(error) !== insufficientPrivilege) throw error;
    // A transaction of the caller has been aborted by the error.
    const missing = await findMissingRights(db).catch(() => null);
    throw new ConfigError([missing ?? (error as Error).message]);
  }
}

async function applyAll(db: Database, options: MigrateOptions): Promise<void> {
  const { migrations = readMigrations() } = options;
  const applied = await withRetries(db, { ...options, name: 'migrations' }, () => readApplied(db));
  const changed = migrations.find(({ name, digest }) => (applied.get(name) ?? digest) !== digest);
  if (changed) {
    throw new ConfigError([
      `migration ${changed.name} was changed after it had been applied to this database; ` +
        'use the unchanged files of a release',
    ]);
  }
  if (applied.has(firstBefore030)) {
    throw new ConfigError([
      'the database has tables of a vidgen before 0.3.0, which cannot be migrated; ' +
        'use an empty one, or another VIDGEN_HOME',
    ]);
  }
  const newer = newerMigration(
    [...applied.keys()].map((name) => ({ name })),
    migrations,
  );
  if (newer) throw new ConfigError([newer]);
  const isNew = applied.size === 0;
  for (const migration of migrations.filter(({ name }) => !applied.has(name))) {
    const { name } = migration;
    const waiting = { ...options, name };
    await withRetries(db, waiting, () => apply(db, migration, { isNew, waiting }));
  }
}

/** Creates the table of migrations if it is missing. */
async function readApplied(db: Database): Promise<Map<string, string>> {
  return await db.transaction(async (tx) => {
    await lockMigrations(tx);
    await tx.query(`
      create table if not exists migrations (
        name text primary key,
        digest text not null,
        applied_at timestamptz not null default now()
      )`);
    const { rows } = await tx.query<{ name: string; digest: string }>(
      'select name, digest from migrations',
    );
    return new Map(rows.map(({ name, digest }) => [name, digest]));
  });
}

/** In a new database no index is built concurrently: a pooler may give only one connection. */
async function apply(
  db: Database,
  { name, sql, digest }: Migration,
  { isNew, waiting }: { readonly isNew: boolean; readonly waiting: Waiting },
): Promise<void> {
  await db.transaction(
    async (tx) => {
      await lockMigrations(tx);
      const { rowCount } = await tx.query('select from migrations where name = $1', [name]);
      if (rowCount > 0) return; // Another process was faster.
      if (isNew) await tx.query(sql.replace(/\bindex\s+concurrently\b/gi, 'index'));
      else if (sql.startsWith(concurrentMark)) await buildConcurrently(db, tx, { sql, waiting });
      else await tx.query((await lockStatements(tx, sql)) + sql);
      await tx.query('insert into migrations (name, digest) values ($1, $2)', [name, digest]);
    },
    { statementMsMax },
  );
}

async function lockMigrations(tx: Transaction): Promise<void> {
  await tx.query(`set local lock_timeout = ${lockMs}`);
  // If this process dies, the server cancels its statement. Not all platforms can.
  await tx
    .savepoint((nested) => nested.query(`set local client_connection_check_interval = ${lockMs}`))
    .catch(() => {});
  await tx.query('select pg_advisory_xact_lock($1)', [migrationLock]);
}

/**
 * Builds indexes on a connection of its own while `tx` keeps other processes from migrating. A
 * build that was interrupted leaves an invalid index, which is replaced.
 */
async function buildConcurrently(
  db: Database,
  tx: Transaction,
  { sql, waiting }: { readonly sql: string; readonly waiting: Waiting },
): Promise<void> {
  await tx.query('set local idle_in_transaction_session_timeout = 0');
  const lines = sql.split('\n').filter((line) => !line.startsWith('--'));
  const statements = lines.join('\n').split(';\n');
  for (const statement of statements.filter((one) => one.trim() !== '')) {
    const name = /^create (?:unique )?index concurrently (\w+)/i.exec(statement.trim())?.[1];
    if (name) {
      await db.runAlone(`drop index concurrently if exists ${name}`);
      await db.runAlone(statement);
      continue;
    }
    const run = async () => db.runAlone((await lockStatements(tx, statement)) + statement);
    // Tried again alone: the indexes before it are not built again.
    await withRetries(db, waiting, run);
  }
}

/** Lock not granted in time, or a deadlock with a statement of another process. */
const blockedStates = ['55P03', '40P01'];

type Waiting = MigrateOptions & { readonly name: string };

async function withRetries<T>(
  db: Database,
  { name, ...options }: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  const startedMs = monotonicMs();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!blockedStates.includes(sqlState(error) ?? '')) throw error;
      if (monotonicMs() - startedMs >= (options.waitMsMax ?? waitMsMax)) {
        throw new ConfigError([`${name} needs a lock that was not granted; ${await holders(db)}`]);
      }
      options.onWait?.(name);
      await sleep(options.retryMs ?? retryMs);
    }
  }
}

/** The sessions that most likely hold the lock, oldest transaction first. */
async function holders(db: Database): Promise<string> {
  const { rows } = await db.query<{ pid: number; application: string }>(
    `select pid, application_name as application from pg_stat_activity
     where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
     order by xact_start limit 3`,
  );
  const sessions = rows.map(({ pid, application }) => `${pid} (${application || 'unnamed'})`);
  return sessions.length === 0
    ? 'start again'
    : `end the backup or session that holds it and start again; oldest: ${sessions.join(', ')}`;
}

/** Names of the migrations that the database lacks; empty if it is up to date. */
export async function missingMigrations(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>('select name from migrations');
  const applied = new Set(rows.map(({ name }) => name));
  return readMigrations()
    .map(({ name }) => name)
    .filter((name) => !applied.has(name));
}

/** The migrations of a database compared with those of this version. */
type MigrationState = {
  readonly known: number;
  /** In the order in which they will be applied. */
  readonly missing: readonly string[];
  /** Applied by a newer version, and not known to this one. */
  readonly newer: readonly string[];
};

/** Null for an empty database. */
export async function readMigrationState(db: Queryable): Promise<MigrationState | null> {
  const { rows: tables } = await db.query<{ found: boolean }>(
    `select to_regclass('migrations') is not null as found`,
  );
  if (!tables[0]!.found) return null;
  const { rows } = await db.query<{ name: string }>('select name from migrations');
  const applied = new Set(rows.map(({ name }) => name));
  const known = new Set(readMigrations().map(({ name }) => name));
  return {
    known: known.size,
    missing: [...known].filter((name) => !applied.has(name)),
    newer: [...applied].filter((name) => !known.has(name)).sort(),
  };
}
