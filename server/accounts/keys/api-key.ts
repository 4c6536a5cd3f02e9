/**
 * API keys: create, verify, revoke, list. The full key leaves this file once, from `createApiKey`
 * or `replaceUnusedKey`; only its digest is stored (docs/spec.md 5.2). Expiry follows the database
 * clock.
 */
import { type KeyObject, randomBytes } from 'node:crypto';
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import { type KeyMode, type Permission, permissions } from '@vidgen/contract/models.ts';
import type { CustomerPrices } from '@vidgen/contract/price.ts';
import type { PreparedStatement, Queryable, Transaction } from '../../database/database.ts';
import { cursorOf, type Page, type PageRequest, pageOf } from '../../database/page.ts';
import { normalizeName } from '../normalize-name.ts';
import { digestKey, displayParts, generateKey, generateKeyId } from './api-key-format.ts';

export type ApiKey = {
  readonly id: string;
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly name: string;
  /** The first twelve and the last four characters; lists show them. */
  readonly prefix: string;
  readonly lastFour: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** Accurate to the minute. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  /** The creator's name in the audit log; null for keys created before it was recorded. */
  readonly createdBy: string | null;
};

/** The account a request acts for, and what the request may do. */
export type KeyIdentity = {
  readonly keyId: string;
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly permissions: readonly Permission[];
  readonly demo: boolean;
  /** Over all keys of the account; null where the installation's limit applies. */
  readonly createsPerMinuteMax?: number | null;
  /** Of the account; null or absent: list prices. */
  readonly prices?: CustomerPrices | null;
};

/** Why an account rejects its own keys. */
export type InactiveAccount = 'closed' | 'suspended';

export type VerifiedKey = {
  readonly identity: KeyIdentity;
  /** What their holders are told; null if the account takes them. */
  readonly inactive: InactiveAccount | null;
  /** Time until the key expires; null if it does not expire. */
  readonly expiresInMs: number | null;
};

/** Of accounts that have prices of their own; else null. */
export const pricesSql = `case when price_percent is not null or prices is not null
  then jsonb_build_object('percent', price_percent, 'rates', prices) end`;

/** Notified with the ID of a changed key or account when the transaction commits. */
export const keysChannel = 'vidgen_keys';

const keyIdPattern = /^key_[0-9A-Za-z]{22}$/;

const keyColumns = `id, account_id as "accountId", mode, name, prefix,
  last_four as "lastFour", permissions, created_at as "createdAt", expires_at as "expiresAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt", created_by as "createdBy"`;

/** Creates a key. `key` is returned here and cannot be read again. */
export async function createApiKey(
  tx: Transaction,
  request: {
    pepper: KeyObject;
    accountId: string;
    mode: KeyMode;
    name: string;
    permissions?: readonly Permission[] | undefined;
    expiresAt?: Date | null | undefined;
    /** The creator's name in the audit log. */
    createdBy?: string | undefined;
  },
): Promise<ApiKey & { readonly key: string }> {
  const key = generateKey(request.mode);
  const { prefix, lastFour } = displayParts(key);
  const granted = new Set(request.permissions ?? permissions);
  const { rows } = await tx.query<ApiKey>(
    `insert into api_keys
       (id, account_id, mode, name, digest, prefix, last_four, permissions, expires_at,
        created_by)
     select $1, id, $3, $4, $5, $6, $7, $8::text[], $9::timestamptz, $10
       from accounts where id = $2 and closed_at is null
     returning ${keyColumns}`,
    [
      generateKeyId(),
      request.accountId,
      request.mode,
      normalizeName(request.name),
      digestKey(key, request.pepper),
      prefix,
      lastFour,
      permissions.filter((permission) => granted.has(permission)),
      request.expiresAt?.toISOString() ?? null,
      request.createdBy ?? null,
    ],
  );
  const created = rows[0];
  if (!created) throw invalidRequest('This account is closed, so you can’t create new keys.');
  return { ...created, key };
}

/**
 * Gives a key that was never used another secret, and makes the first one invalid as a revocation
 * does. Returns null if the key was used, revoked, or its account is closed.
 */
export async function replaceUnusedKey(
  tx: Transaction,
  { keyId, mode, pepper }: { keyId: string; mode: KeyMode; pepper: KeyObject },
): Promise<(ApiKey & { readonly key: string }) | null> {
  const key = generateKey(mode);
  const { prefix, lastFour } = displayParts(key);
  const { rows } = await tx.query<ApiKey>(
    `update api_keys set digest = $2, prefix = $3, last_four = $4
     where id = $1 and last_used_at is null and revoked_at is null
       and exists (select from accounts a where a.id = account_id and a.closed_at is null)
     returning ${keyColumns}`,
    [keyId, digestKey(key, pepper), prefix, lastFour],
  );
  if (!rows[0]) return null;
  await tx.query('select pg_notify($1, $2)', [keysChannel, keyId]);
  return { ...rows[0], key };
}

export async function findKeyAccountId(db: Queryable, keyId: string): Promise<string | null> {
  const { rows } = await db.query<{ accountId: string }>(
    'select account_id as "accountId" from api_keys where id = $1',
    [keyId],
  );
  return rows[0]?.accountId ?? null;
}

/**
 * Returns the digests whose keys are active now, also those of suspended and closed accounts.
 * Unknown, revoked and expired keys are all simply missing, so a response cannot reveal which case
 * applied.
 */
export async function verifyKeys(
  db: Queryable,
  digests: readonly string[],
): Promise<Map<string, VerifiedKey>> {
  type Row = KeyIdentity & Omit<VerifiedKey, 'identity'> & { readonly digest: string };
  const { rows } = await db.query<Row>(
    `select k.digest, k.id as "keyId", k.account_id as "accountId", k.mode, k.permissions, a.demo,
            a.creates_per_minute_max as "createsPerMinuteMax", ${pricesSql} as prices,
            case when a.closed_at is not null then 'closed'
                 when a.suspended_at is not null then 'suspended' end as inactive,
            (extract(epoch from k.expires_at - now()) * 1000)::float8 as "expiresInMs"
       from api_keys k join accounts a on a.id = k.account_id
      where k.digest = any($1::text[]) and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now())`,
    [digests],
  );
  return new Map(
    rows.map(({ digest, expiresInMs, inactive, ...identity }) => [
      digest,
      { identity, inactive, expiresInMs },
    ]),
  );
}

/** A key that is active, with what a create must know of its account. */
export type LockedKey = {
  readonly id: string;
  readonly isSuspended: boolean;
  readonly hasSpendingCap: boolean;
  readonly webhookUrl: string | null;
  /** Null where the installation's limit applies. */
  readonly runningTasksMax: number | null;
};

/**
 * Returns which of these keys are active now, playground keys and keys of suspended accounts
 * included. A revocation of one of them waits until the transaction ends.
 */
export async function lockActiveKeys(
  tx: Transaction,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, LockedKey>> {
  const { rows } = await tx.query<LockedKey>(lockActiveKeysStatement, [keyIds]);
  return new Map(rows.map((key) => [key.id, key]));
}

const lockActiveKeysStatement: PreparedStatement = {
  name: 'lock_active_keys',
  text: `select k.id, a.webhook_url as "webhookUrl", a.suspended_at is not null as "isSuspended",
           a.running_tasks_max as "runningTasksMax",
           k.spending_cap is not null as "hasSpendingCap"
         from api_keys k join accounts a on a.id = k.account_id
         where k.id = any($1::text[]) and k.revoked_at is null and a.closed_at is null
           and (k.expires_at is null or k.expires_at > now())
         order by k.id for share of k`,
};

/**
 * Revokes a key; every process rejects it within 5 s, and this one at once if the caller calls
 * `KeyCache.invalidate` after the commit. Revoking again keeps the first time.
 */
export async function revokeKey(tx: Transaction, keyId: string): Promise<ApiKey> {
  const { rows } = await tx.query<ApiKey>(
    `update api_keys set revoked_at = coalesce(revoked_at, now())
     where id = $1 and not playground
     returning ${keyColumns}`,
    [keyId],
  );
  const revoked = rows[0];
  if (!revoked) throw notFound('No API key found with this ID.');
  await tx.query('select pg_notify($1, $2)', [keysChannel, keyId]);
  return revoked;
}

/** Returns these keys in no particular order, playground keys included. */
export async function findKeys(db: Queryable, keyIds: readonly string[]): Promise<ApiKey[]> {
  const { rows } = await db.query<ApiKey>(
    `select ${keyColumns} from api_keys where id = any($1::text[])`,
    [keyIds],
  );
  return rows;
}

/** Newest first, with revoked and expired keys; playground keys are left out. */
export async function listKeys(
  db: Queryable,
  request: PageRequest & { readonly accountId: string; readonly mode?: KeyMode | undefined },
): Promise<Page<ApiKey>> {
  const { rows } = await db.query<ApiKey>(
    `select ${keyColumns} from api_keys
      where account_id = $1 and ($2::text is null or mode = $2) and not playground
        and ($3::text is null
          or (created_at, id) < (select created_at, id from api_keys where id = $3))
      order by created_at desc, id desc limit $4`,
    [request.accountId, request.mode ?? null, cursorOf(request, keyIdPattern), request.limit + 1],
  );
  return pageOf(rows, request.limit);
}

/**
 * Writes the last use at most once per minute and key, however many processes saw the key. Skips
 * locked rows: neither a revocation nor another process must wait for this statistic.
 */
export async function recordKeyUse(db: Queryable, keyIds: readonly string[]): Promise<void> {
  await db.query(
    `update api_keys set last_used_at = now() where id in (
       select id from api_keys
        where id = any($1::text[])
          and (last_used_at is null or last_used_at < now() - interval '1 minute')
        for no key update skip locked)`,
    [keyIds],
  );
}

type PlaygroundKeyOwner = { readonly accountId: string; readonly mode: KeyMode };

/**
 * Returns the key that playground tasks belong to: one per account and mode, created on first use.
 * Its secret part is random and discarded, so only a person's session can act with it. Concurrent
 * calls return the same key. Throws `invalid_request` if the account is closed.
 */
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
  throw invalidRequest('This account is closed and can’t accept new tasks.');
}

async function findPlaygroundKey(
  tx: Transaction,
  { accountId, mode }: PlaygroundKeyOwner,
): Promise<KeyIdentity | null> {
  const { rows } = await tx.query<KeyIdentity>(
    `select k.id as "keyId", k.account_id as "accountId", k.mode, k.permissions, a.demo,
            a.creates_per_minute_max as "createsPerMinuteMax", ${pricesSql} as prices
       from api_keys k join accounts a on a.id = k.account_id
      where k.account_id = $1 and k.mode = $2 and k.playground and a.closed_at is null`,
    [accountId, mode],
  );
  return rows[0] ?? null;
}
