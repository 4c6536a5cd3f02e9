/** Compares the migrations of a database with those of this version, and changes nothing. */
import type { Queryable } from './database.ts';
import { readMigrations } from './migrate.ts';

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
