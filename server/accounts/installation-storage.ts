/** The mark of the storage that this database's results are in; see `storage/storage.ts`. */
import type { Queryable } from '../database/database.ts';
import { insertOrRead } from './installation-secret.ts';

const key = 'storage_mark';

/** Returns the mark that the database has; the first process sets it. */
export const readOrSetStorage = (db: Queryable, mark: string): Promise<string> =>
  insertOrRead(db, key, mark);

/** For a restore, whose files may be in another storage than those of the original. */
export async function setStorage(db: Queryable, mark: string): Promise<void> {
  await db.query(
    `insert into settings (key, value) values ($1, $2)
     on conflict (key) do update set value = excluded.value`,
    [key, mark],
  );
}

/** Returns whether the mark was still `from`. */
export async function replaceStorage(
  db: Queryable,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update settings set value = $3 where key = $1 and value = $2',
    [key, from, to],
  );
  return rowCount === 1;
}
