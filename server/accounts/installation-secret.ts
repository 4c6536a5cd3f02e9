/**
 * The installation's one secret. Everything that processes share is derived from it: the API key
 * pepper, signed URLs, code digests. Configured by the operator, or generated once and stored in
 * the database; all processes on one database use the same secret.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import type { Queryable } from '../database/database.ts';
import { insertOrRead } from './installation-settings.ts';

/** Another secret would invalidate every API key and every signed URL. */
export class SecretMismatchError extends Error {
  override readonly name = 'SecretMismatchError';
}

export async function loadSecret(db: Queryable, configured?: string | null): Promise<string> {
  const secret =
    configured ?? (await insertOrRead(db, 'secret', randomBytes(32).toString('base64url')));
  const fingerprint = fingerprintOf(secret);
  if ((await insertOrRead(db, 'secret_mark', fingerprint)) === fingerprint) return secret;
  throw new SecretMismatchError(
    'VIDGEN_SECRET is not the secret this database was created with, so every API key would be ' +
      'rejected; set the original secret, or unset VIDGEN_SECRET if it was not set originally',
  );
}

/** Whether `loadSecret` would throw. Changes nothing. */
export async function isOtherSecret(db: Queryable, configured: string | null): Promise<boolean> {
  const stored = await readStored(db);
  const mark = stored.get('secret_mark');
  const secret = configured ?? stored.get('secret');
  return mark !== undefined && (secret === undefined || fingerprintOf(secret) !== mark);
}

async function readStored(db: Queryable): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ key: string; value: string }>(
    `select key, value from settings where key in ('secret', 'secret_mark')`,
  );
  return new Map(rows.map(({ key, value }) => [key, value]));
}

/** The secret if the database holds it, and not only the mark of a configured one. */
export async function readStoredSecret(db: Queryable): Promise<string | null> {
  const stored = await readStored(db);
  const secret = stored.get('secret');
  // A start without the configured secret has left another one here.
  if (secret === undefined || stored.get('secret_mark') !== fingerprintOf(secret)) return null;
  return secret;
}

const fingerprintOf = (secret: string): string =>
  deriveKey(secret, 'mark of the secret').toString('base64url');

/** What a bucket is marked with, so that no other installation uses it. */
export const storageOwner = (secret: string): string =>
  deriveKey(secret, 'owner of the storage').toString('base64url');

/**
 * Derives 256 bits for one purpose. A derived key reveals nothing about the secret or other keys.
 */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'vidgen', purpose, 32));
}
