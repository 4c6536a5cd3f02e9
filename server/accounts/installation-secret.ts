/**
 * The one secret of an installation, from which everything that processes share is derived: the
 * pepper of API keys, signed addresses, sessions. Given by the operator, or made once and kept in
 * the database; all processes on one database arrive at the same one.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import type { Queryable } from '../database/database.ts';

/** With another secret every API key and every address that was handed out would be refused. */
export class SecretMismatchError extends Error {
  override readonly name = 'SecretMismatchError';
}

export async function loadSecret(db: Queryable, configured?: string | null): Promise<string> {
  const secret =
    configured ?? (await insertOrRead(db, 'secret', randomBytes(32).toString('base64url')));
  const fingerprint = deriveKey(secret, 'mark of the secret').toString('base64url');
  if ((await insertOrRead(db, 'secret_mark', fingerprint)) === fingerprint) return secret;
  throw new SecretMismatchError(
    'VIDGEN_SECRET is not the secret this database was set up with: all of its API keys would be ' +
      'refused. Use the first one again (without VIDGEN_SECRET, where it was not set then).',
  );
}

/** Two processes start together on an empty database: one insert wins, both read the winner. */
async function insertOrRead(db: Queryable, key: string, value: string): Promise<string> {
  await db.query('insert into settings (key, value) values ($1, $2) on conflict (key) do nothing', [
    key,
    value,
  ]);
  // A statement of its own: only a new snapshot sees the row of a process that was faster.
  const { rows } = await db.query<{ value: string }>('select value from settings where key = $1', [
    key,
  ]);
  return rows[0]!.value;
}

/** 256 bits for one purpose. A derived key tells nothing about the secret or the other ones. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'vidgen', purpose, 32));
}
