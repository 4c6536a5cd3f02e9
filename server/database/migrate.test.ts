/**
 * Migrations while the tables are in use: they wait for a lock only briefly, so that nobody waits
 * behind them for long.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldLock } from '../../proof/faults/database/held-lock.ts';
import { cloneDatabase } from '../../proof/kit/postgres.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';
import { ConfigError } from '../config/config.ts';
import { type Migration, migrate, readMigrations, toMigration } from './migrate.ts';
import { openPostgres } from './postgres.ts';

const scratch = await useDatabase();

const withExtra = (extra: Migration) => ({
  migrations: [...readMigrations(), extra],
  retryMs: 100,
});
const addColumn = (name: string) =>
  toMigration(`9000_${name}`, `alter table tasks add column ${name} integer`);

async function hasColumn(name: string): Promise<boolean> {
  const { rowCount } = await scratch.db.query(
    `select from information_schema.columns where table_name = 'tasks' and column_name = $1`,
    [name],
  );
  return rowCount === 1;
}

test('retries while a backup holds the lock, and lets other statements through', async () => {
  const { db, url } = scratch;
  const backup = await HeldLock.open(url, 'tasks');
  const waits: string[] = [];
  const { promise: hasWaited, resolve } = Promise.withResolvers<void>();
  const onWait = (name: string) => {
    waits.push(name);
    if (waits.length === 2) resolve();
  };
  const migrating = migrate(db, { ...withExtra(addColumn('patient')), onWait });
  await backup.waitUntilBlocking();
  // Behind the waiting statement, and yet answered while the backup goes on.
  await db.query('select count(*) from tasks');
  await hasWaited;
  assert.equal(await hasColumn('patient'), false);
  await backup[Symbol.asyncDispose]();
  await migrating;
  assert.equal(await hasColumn('patient'), true);
  assert.deepEqual(new Set(waits), new Set(['9000_patient']));
});

test('gives up with one sentence that names the session, and leaves nothing waiting', async () => {
  await using backup = await HeldLock.open(scratch.url, 'tasks');
  const options = { ...withExtra(addColumn('impatient')), waitMsMax: 0 };
  await assert.rejects(migrate(scratch.db, options), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /9000_impatient needs a lock .*; oldest: \d+ \(a backup\)/);
    return true;
  });
  assert.deepEqual(await backup.waiting(), []);
  assert.equal(await hasColumn('impatient'), false);
});

test('fails no transaction of another process that holds and needs the same tables', async () => {
  const sql = `alter table accounts add column first integer; select pg_sleep(0.6);
    alter table api_keys add column second integer`;
  const isMigrating = async () => {
    const { rowCount } = await scratch.db.query(
      `select from pg_locks where relation in ('accounts'::regclass, 'api_keys'::regclass)
         and mode = 'AccessExclusiveLock'`,
    );
    return rowCount > 0;
  };
  const other = await openPostgres(scratch.url);
  let migrating: Promise<void> | undefined;
  await other.transaction(async (tx) => {
    await tx.query('lock table api_keys in row share mode');
    migrating = migrate(scratch.db, withExtra(toMigration('9000_two_tables', sql)));
    await waitUntil(isMigrating);
    await tx.query('select from accounts limit 1');
  });
  await migrating;
  await other.close();
});

test('builds an index concurrently, and replaces one that was left invalid', async () => {
  const sql = '-- concurrently\ncreate index concurrently tasks_by_age on tasks (created_at);\n';
  const { db } = scratch;
  await db.runAlone('create index concurrently tasks_by_age on tasks (created_at)');
  await db.query(
    `update pg_index set indisvalid = false where indexrelid = 'tasks_by_age'::regclass`,
  );
  const second = await openPostgres(scratch.url);
  const extra = withExtra(toMigration('9001_index', sql));
  await Promise.all([migrate(db, extra), migrate(second, extra)]);
  await second.close();
  const { rows } = await db.query(
    `select indisvalid as valid from pg_index where indexrelid = 'tasks_by_age'::regclass`,
  );
  assert.deepEqual(rows, [{ valid: true }]);
});

test('migrates a new database over one connection, as a small pooler gives', async () => {
  const { url, drop } = await cloneDatabase(scratch.url, 'template0');
  const db = await openPostgres(url, { connectionsMax: 1 });
  const runAlone = () => assert.fail('needs a second connection');
  await migrate({ ...db, runAlone });
  const { rows } = await db.query(`select to_regclass('tasks_failed') is not null as built`);
  assert.deepEqual(rows, [{ built: true }]);
  await db.close();
  await drop();
});

test('rejects a migration that was changed after it had been applied', async () => {
  const [first, ...rest] = readMigrations();
  const changed = toMigration(first!.name, `${first!.sql}\n-- changed`);
  await assert.rejects(migrate(scratch.db, { migrations: [changed, ...rest] }), (error: Error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /was changed after it had been applied/);
    return true;
  });
});

test('a user without the right to create tables is told what to run', async () => {
  const { url, drop } = await cloneDatabase(scratch.url, 'template0');
  const role = 'vidgen_without_create';
  await scratch.db.query(`create role ${role} login password '${role}'`);
  const userUrl = Object.assign(new URL(url), { username: role, password: role });
  const db = await openPostgres(userUrl.href, { connectionsMax: 1 });
  try {
    await assert.rejects(migrate(db), (error: Error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /"vidgen_without_create" may not create tables in .*"public"/);
      assert.match(error.message, /grant create on schema "public" to "vidgen_without_create"/);
      return true;
    });
  } finally {
    await db.close();
    await drop();
    await scratch.db.query(`drop role ${role}`);
  }
});

test('refuses databases of newer versions and from before the baseline, unchanged', async () => {
  const { url, drop } = await cloneDatabase(scratch.url, 'template0');
  const db = await openPostgres(url);
  const known = readMigrations().slice(0, 1);
  const later = toMigration('0002_later', 'create table later (id integer)');
  await migrate(db, { migrations: [...known, later] });
  await assert.rejects(migrate(db, { migrations: known }), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /migrated by a newer vidgen \(0002_later\).*; use that version/);
    return true;
  });
  const { rowCount } = await db.query('select from migrations');
  assert.equal(rowCount, 2);
  await db.query(`update migrations set name = '0001_accounts' where name like '0001%'`);
  await assert.rejects(migrate(db), /tables of a vidgen before 0\.3\.0, .*; use an empty one/);
  await db.close();
  await drop();
});
