/**
 * API keys: mint, verify, revoke, list. The full key leaves this file once, from `mintKey`; only
 * its digest is stored (Spec 5.2). Expiry is judged by the database's clock.
 */
import type { KeyObject } from 'node:crypto';
import { type KeyMode, type Permission, permissions } from '@vidgen/contract/models.ts';
import { ApiError } from '../api-error.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { digestKey, displayParts, generateKey, generateKeyId } from './api-key-format.ts';
import { normalizeName } from './normalize-name.ts';
import { cursorOf, type Page, type PageRequest, pageOf } from './page.ts';

export type ApiKey = {
  readonly id: string;
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly name: string;
  /** The first twelve and the last four characters: what a list may show. */
  readonly prefix: string;
  readonly lastFour: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** True to the minute. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  /** Who minted it, as the audit log names them; null for keys from before that was kept. */
  readonly createdBy: string | null;
};

/** On whose behalf a request is made, and what it may do. */
export type KeyIdentity = {
  readonly keyId: string;
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly permissions: readonly Permission[];
  readonly demo: boolean;
};

export type ActiveKey = {
  readonly identity: KeyIdentity;
  /** How long the key goes on working if nobody revokes it; null when it does not expire. */
  readonly expiresInMs: number | null;
};

/** Told the id of a revoked key or of a closed account, in the transaction that does it. */
export const keysChannel = 'vidgen_keys';

const keyIdPattern = /^key_[0-9A-Za-z]{22}$/;

const columns = `id, account_id as "accountId", mode, name, prefix, last_four as "lastFour",
  permissions, created_at as "createdAt", expires_at as "expiresAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt", created_by as "createdBy"`;

/** `key` is in this answer and nowhere else, ever again. */
export async function createApiKey(
  tx: Transaction,
  request: {
    pepper: KeyObject;
    accountId: string;
    mode: KeyMode;
    name: string;
    /** All of them by default. */
    permissions?: readonly Permission[] | undefined;
    expiresAt?: Date | null | undefined;
    /** As the audit log names who mints it. */
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
     returning ${columns}`,
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
  if (!created)
    throw new ApiError('invalid_request', 'The account is closed: it takes no new keys.');
  return { ...created, key };
}

/** Whose a key is, working or not; null when there is none with this id. */
export async function findKeyAccountId(db: Queryable, keyId: string): Promise<string | null> {
  const { rows } = await db.query<{ accountId: string }>(
    'select account_id as "accountId" from api_keys where id = $1',
    [keyId],
  );
  return rows[0]?.accountId ?? null;
}

/**
 * Those of the digests whose keys work at this moment. Unknown, revoked, expired, of a closed
 * account: all the same here, so that nothing told to a caller can depend on which it was.
 */
export async function verifyKeys(
  db: Queryable,
  digests: readonly string[],
): Promise<Map<string, ActiveKey>> {
  const { rows } = await db.query<KeyIdentity & { digest: string; expiresInMs: number | null }>(
    `select k.digest, k.id as "keyId", k.account_id as "accountId", k.mode, k.permissions, a.demo,
            (extract(epoch from k.expires_at - now()) * 1000)::float8 as "expiresInMs"
       from api_keys k join accounts a on a.id = k.account_id
      where k.digest = any($1::text[]) and k.revoked_at is null and a.closed_at is null
        and (k.expires_at is null or k.expires_at > now())`,
    [digests],
  );
  return new Map(
    rows.map(({ digest, expiresInMs, ...identity }) => [digest, { identity, expiresInMs }]),
  );
}

/** Refused everywhere within 5 s, and at once where `KeyCache.forget` follows the commit. */
export async function revokeKey(tx: Transaction, keyId: string): Promise<ApiKey> {
  // Revoking twice keeps the first moment.
  const { rows } = await tx.query<ApiKey>(
    `update api_keys set revoked_at = coalesce(revoked_at, now())
     where id = $1 and not playground
     returning ${columns}`,
    [keyId],
  );
  const revoked = rows[0];
  if (!revoked) throw new ApiError('not_found', 'There is no key with this id.');
  await tx.query('select pg_notify($1, $2)', [keysChannel, keyId]);
  return revoked;
}

/** Those of an account's tasks, the playground's too; in no order. */
export async function findKeys(db: Queryable, keyIds: readonly string[]): Promise<ApiKey[]> {
  const { rows } = await db.query<ApiKey>(
    `select ${columns} from api_keys where id = any($1::text[])`,
    [keyIds],
  );
  return rows;
}

/** Newest first, revoked and expired ones too; the playground's is nobody's to see. */
export async function listKeys(
  db: Queryable,
  request: PageRequest & { readonly accountId: string; readonly mode?: KeyMode | undefined },
): Promise<Page<ApiKey>> {
  const { rows } = await db.query<ApiKey>(
    `select ${columns} from api_keys
      where account_id = $1 and ($2::text is null or mode = $2) and not playground
        and ($3::text is null
          or (created_at, id) < (select created_at, id from api_keys where id = $3))
      order by created_at desc, id desc limit $4`,
    [request.accountId, request.mode ?? null, cursorOf(request, keyIdPattern), request.limit + 1],
  );
  return pageOf(rows, request.limit);
}

/**
 * At most one write a minute a key, however many processes saw it used. Rows that somebody else is
 * changing are skipped: a revocation must not wait for a statistic, nor one statistic for another.
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
