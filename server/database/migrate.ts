/**
 * Applies the numbered migrations in order, each once, also when several processes start together.
 * Forward only; a migration that changed after it was applied stops the start.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from './database.ts';

const migrationsFolder = join(import.meta.dirname, 'migrations');
/** An arbitrary number that every process uses. */
const migrationLock = 7_416_030_129;

type Migration = { readonly name: string; readonly sql: string; readonly digest: string };

function readMigrations(folder = migrationsFolder): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const sql = readFileSync(join(folder, file), 'utf8');
      const digest = createHash('sha256').update(sql).digest('hex');
      return { name: file.replace(/\.sql$/, ''), sql, digest };
    });
}

export async function migrate(db: Database, migrations = readMigrations()): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [migrationLock]);
    await tx.query(`
      create table if not exists migrations (
        name text primary key,
        digest text not null,
        applied_at timestamptz not null default now()
      )`);
    const { rows } = await tx.query<{ name: string; digest: string }>(
      'select name, digest from migrations',
    );
    const applied = new Map(rows.map(({ name, digest }) => [name, digest]));
    for (const { name, sql, digest } of migrations) {
      const appliedDigest = applied.get(name);
      if (appliedDigest === digest) continue;
      if (appliedDigest !== undefined) {
        throw new Error(`migration ${name} was changed after it had been applied to this database`);
      }
      await tx.query(sql);
      await tx.query('insert into migrations (name, digest) values ($1, $2)', [name, digest]);
    }
  });
}

/** Names of the migrations that the database lacks; empty if it is up to date. */
export async function missingMigrations(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>('select name from migrations');
  const applied = new Set(rows.map(({ name }) => name));
  return readMigrations()
    .map(({ name }) => name)
    .filter((name) => !applied.has(name));
}
