/** The operator's webhook for notices: its URL if it was set in the dashboard, and its secret. */

import { generateSecret } from '../crypto/standard-webhooks.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { insertOrRead } from './installation-secret.ts';

const urlKey = 'notice_webhook_url';
const secretKey = 'notice_webhook_secret';

/** Null if none was set. */
export async function readNoticeWebhookUrl(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ value: string }>('select value from settings where key = $1', [
    urlKey,
  ]);
  return rows[0]?.value ?? null;
}

export async function setNoticeWebhookUrl(tx: Transaction, url: string | null): Promise<void> {
  await tx.query('delete from settings where key = $1', [urlKey]);
  if (url !== null) {
    await tx.query(
      `insert into settings (key, value) values ($1, $2)
       on conflict (key) do update set value = excluded.value`,
      [urlKey, url],
    );
  }
}

/** Created on first use, and the same for every URL. */
export const readNoticeWebhookSecret = (db: Queryable): Promise<string> =>
  insertOrRead(db, secretKey, generateSecret());
