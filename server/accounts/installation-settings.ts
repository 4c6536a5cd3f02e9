/** Values that the installation has once, in the table `settings`. */
import { generateSecret } from '../crypto/standard-webhooks.ts';
import type { Queryable, Transaction } from '../database/database.ts';

async function readSetting(db: Queryable, key: string): Promise<string | null> {
  const { rows } = await db.query<{ value: string }>('select value from settings where key = $1', [
    key,
  ]);
  return rows[0]?.value ?? null;
}

async function writeSetting(db: Queryable, key: string, value: string): Promise<void> {
  await db.query(
    `insert into settings (key, value) values ($1, $2)
     on conflict (key) do update set value = excluded.value`,
    [key, value],
  );
}

/** If two processes start on an empty database, one insert wins and both read its value. */
export async function insertOrRead(db: Queryable, key: string, value: string): Promise<string> {
  await db.query('insert into settings (key, value) values ($1, $2) on conflict (key) do nothing', [
    key,
    value,
  ]);
  // A separate statement: only a new snapshot sees the row that another process inserted.
  return (await readSetting(db, key))!;
}

/** Notes which backup the database was restored from, in the transaction that restores it. */
export const setRestoredFrom = (db: Queryable, backupId: string): Promise<void> =>
  writeSetting(db, 'restored_from', backupId);

/** Null if it was never restored; also for a database without tables. */
export async function readRestoredFrom(db: Queryable): Promise<string | null> {
  const { rows: tables } = await db.query(`select to_regclass('settings') as "table"`);
  return tables[0]?.table === null ? null : await readSetting(db, 'restored_from');
}

/**
 * Returns the mark of the storage that this database's results are in, see
 * `storage/storage-mark.ts`; the first process sets it.
 */
export const readOrSetStorage = (db: Queryable, mark: string): Promise<string> =>
  insertOrRead(db, 'storage_mark', mark);

/** For a restore, whose files may be in another storage than those of the original. */
export const setStorage = (db: Queryable, mark: string): Promise<void> =>
  writeSetting(db, 'storage_mark', mark);

/** Returns whether the mark was still `from`. */
export async function replaceStorage(
  db: Queryable,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update settings set value = $2 where key = 'storage_mark' and value = $1`,
    [from, to],
  );
  return rowCount === 1;
}

const noticeUrlKey = 'notice_webhook_url';

/** The operator's webhook for notices, if it was set in the dashboard. */
export const readNoticeWebhookUrl = (db: Queryable): Promise<string | null> =>
  readSetting(db, noticeUrlKey);

export async function setNoticeWebhookUrl(tx: Transaction, url: string | null): Promise<void> {
  if (url === null) await tx.query('delete from settings where key = $1', [noticeUrlKey]);
  else await writeSetting(tx, noticeUrlKey, url);
}

/** Created on first use, and the same for every URL. */
export const readNoticeWebhookSecret = (db: Queryable): Promise<string> =>
  insertOrRead(db, 'notice_webhook_secret', generateSecret());
