/** A snapshot of every table, and an empty database filled with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneDatabase } from '../../proof/kit/postgres.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { seedAccount } from '../../proof/kit/seed.ts';
import { ConfigError } from '../config/config.ts';
import { type LoadOptions, loadDatabase } from './load.ts';
import { openPostgres } from './postgres.ts';
import { openSnapshot } from './snapshot.ts';

const scratch = await useDatabase();

const name = 'tab\t newline\n return\r backslash \\N \\. quote " \' ü 🎬';
const rest: LoadOptions = { onTable: () => {}, finish: async () => {} };

async function copyTo(url: string, options: Partial<LoadOptions> = {}): Promise<void> {
  const snapshot = await openSnapshot(scratch.url);
  const stored = {
    ...snapshot,
    read: async (table: { name: string; columns: readonly string[] }) => snapshot.read(table),
  };
  await loadDatabase(url, stored, { ...rest, ...options }).finally(() => snapshot.close());
}

test('a database that is missing is a sentence', async () => {
  const missing = Object.assign(new URL(scratch.url), { pathname: '/not_there' });
  await assert.rejects(copyTo(missing.href), (error: Error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /\/not_there: cannot connect to PostgreSQL \(.*does not exist\)/);
    return true;
  });
});

test('fills an empty database, and rows that follow continue after the old ones', async () => {
  const { accountId } = await seedAccount(scratch.db, { credits: 100 });
  await scratch.db.query('update accounts set name = $2 where id = $1', [accountId, name]);
  const target = await cloneDatabase(scratch.url, 'template0');
  await copyTo(target.url);
  const db = await openPostgres(target.url, { connectionsMax: 2 });
  const { rows } = await db.query('select name from accounts where id = $1', [accountId]);
  assert.deepEqual(rows, [{ name }]);
  await seedAccount(db, { credits: 7 });
  // Constraints and triggers are those of any database.
  await assert.rejects(db.query('update ledger_entries set amount = 1'), { code: 'VG001' });
  await assert.rejects(db.query('delete from accounts'), { code: '23503' });
  await db.close();
  await target.drop();
});

test('leaves the database empty when anything fails', async () => {
  const target = await cloneDatabase(scratch.url, 'template0');
  const finish = () => Promise.reject(new Error('at the very end'));
  await assert.rejects(copyTo(target.url, { finish }), /at the very end/);
  const db = await openPostgres(target.url, { connectionsMax: 1 });
  const { rows } = await db.query(`select to_regclass('accounts') as "table"`);
  assert.deepEqual(rows, [{ table: null }]);
  await db.close();
  await target.drop();
});

test('does not see later rows, and keeps tables from being rewritten', async () => {
  const snapshot = await openSnapshot(scratch.url);
  const count = 'select count(*)::int as accounts from accounts';
  const { rows: before } = await snapshot.db.query(count);
  await seedAccount(scratch.db);
  assert.deepEqual((await snapshot.db.query(count)).rows, before);
  const rewrite = scratch.db.transaction(async (tx) => {
    await tx.query('set local lock_timeout = 200');
    await tx.query('alter table tasks alter column credits type numeric');
  });
  await assert.rejects(rewrite, { code: '55P03' });
  await snapshot.close();
});
