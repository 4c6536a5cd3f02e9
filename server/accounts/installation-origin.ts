/** Which backup the database was restored from, written in the transaction that restores it. */
import type { Queryable } from '../database/database.ts';

const key = 'restored_from';

export async function setRestoredFrom(db: Queryable, backupId: string): Promise<void> {
  await db.query(
    `insert into settings (key, value) values ($1, $2)
     on conflict (key) do update set value = excluded.value`,
    [key, backupId],
  );
}

/** Null if it was never restored; also for a database without tables. */
export async function readRestoredFrom(db: Queryable): Promise<string | null> {
  const { rows: tables } = await db.query(`select to_regclass('settings') as "table"`);
  if (tables[0]?.table === null) return null;
  const { rows } = await db.query<{ value: string }>('select value from settings where key = $1', [
    key,
  ]);
  return rows[0]?.value ?? null;
}
