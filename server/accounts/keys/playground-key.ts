/**
 * The API key that playground tasks belong to: one per account and mode, created on first use. Its
 * secret part is random and discarded, so only a person's session can act with it.
 */
import { randomBytes } from 'node:crypto';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { type KeyMode, permissions } from '@vidgen/contract/models.ts';
import type { Transaction } from '../../database/database.ts';
import type { KeyIdentity } from './api-key.ts';
import { generateKeyId } from './api-key-format.ts';

type PlaygroundKeyOwner = { readonly accountId: string; readonly mode: KeyMode };

/** Concurrent calls return the same key. Throws `invalid_request` if the account is closed. */
export async function ensurePlaygroundKey(
  tx: Transaction,
  { accountId, mode }: PlaygroundKeyOwner,
): Promise<KeyIdentity> {
  const found = await findPlaygroundKey(tx, { accountId, mode });
  if (found) return found;
  await tx.query(
    `insert into api_keys
       (id, account_id, mode, name, digest, prefix, last_four, permissions, playground)
     values ($1, $2, $3, 'Playground', $4, 'playground', '----', $5::text[], true)
     on conflict do nothing`,
    [generateKeyId(), accountId, mode, randomBytes(32).toString('hex'), permissions],
  );
  const created = await findPlaygroundKey(tx, { accountId, mode });
  if (created) return created;
  throw new ApiError('invalid_request', 'This account is closed and can’t accept new tasks.');
}

async function findPlaygroundKey(
  tx: Transaction,
  { accountId, mode }: PlaygroundKeyOwner,
): Promise<KeyIdentity | null> {
  const { rows } = await tx.query<KeyIdentity>(
    `select k.id as "keyId", k.account_id as "accountId", k.mode, k.permissions, a.demo,
            a.creates_per_minute_max as "createsPerMinuteMax"
       from api_keys k join accounts a on a.id = k.account_id
      where k.account_id = $1 and k.mode = $2 and k.playground and a.closed_at is null`,
    [accountId, mode],
  );
  return rows[0] ?? null;
}
