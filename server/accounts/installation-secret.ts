/**
 * The one secret of an installation, from which everything that processes share is derived: the
 * pepper of API keys, signed addresses, sessions. Given by the operator, or made once and kept in
 * the database; all processes on one database arrive at the same one.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import type { Queryable } from '../database/database.ts';

/** Two processes start together on an empty database: one insert wins, both read the winner. */
export async function loadSecret(db: Queryable, given?: string | null): Promise<string> {
  if (given !== undefined && given !== null) return given;
  await db.query(
    `insert into settings (key, value) values ('secret', $1) on conflict (key) do nothing`,
    [randomBytes(32).toString('base64url')],
  );
  // A statement of its own: only a new snapshot sees the row of a process that was faster.
  const { rows } = await db.query<{ value: string }>(
    `select value from settings where key = 'secret'`,
  );
  return rows[0]!.value;
}

/** 256 bits for one purpose. A derived key tells nothing about the secret or the other ones. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'vidgen', purpose, 32));
}
