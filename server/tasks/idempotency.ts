/**
 * `Idempotency-Key` on create: the same key with the same request returns the first response. Only
 * accepted creates are recorded, in the transaction that accepts them, for 24 hours.
 */
import { createHash } from 'node:crypto';
import type { CreateRequest } from '@vidgen/contract/create-generation.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Queryable, Transaction } from '../database/database.ts';

export type IdempotencyKeyRef = {
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly key: string;
};
export type IdempotencyRecord = IdempotencyKeyRef & {
  readonly requestDigest: string;
  readonly taskId: string;
  readonly credits: number;
};
/** A record in use, and whether its task was deleted since. */
export type UsedIdempotencyKey = IdempotencyRecord & { readonly isErased: boolean };

/**
 * Digest of the request with defaults filled in and keys sorted: equal for any spelling of it.
 * Ignored fields do not count, because they change nothing. `callbackUrl` is what the request
 * names, not the account's: that may change before a retry.
 */
export function requestDigest({ generation, callbackUrl, ...extensions }: CreateRequest): string {
  const { ignored: _, ...rendered } = generation;
  const given = Object.entries(extensions).flatMap(([name, value]) =>
    value === null ? [] : [[name, sortedEntries(value)]],
  );
  const sorted = Object.fromEntries(given);
  const ordered = sortedEntries({ ...rendered, callbackUrl, ...sorted });
  return createHash('sha256').update(JSON.stringify(ordered)).digest('hex');
}

const sortedEntries = (value: object): [string, unknown][] =>
  Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Returns records in the order of `keyRefs`; null where the key is unused or older than 24 hours.
 */
export async function findIdempotencyKeys(
  db: Queryable,
  keyRefs: readonly IdempotencyKeyRef[],
): Promise<readonly (UsedIdempotencyKey | null)[]> {
  if (keyRefs.length === 0) return [];
  const { rows } = await db.query<UsedIdempotencyKey>(
    `select k.account_id as "accountId", k.mode, k.key, k.request_digest as "requestDigest",
       k.task_id as "taskId", k.credits,
       exists (select from erased_tasks e where e.id = k.task_id) as "isErased"
     from jsonb_to_recordset($1::jsonb) as w("accountId" uuid, mode text, key text)
     join lateral (
       select * from idempotency_keys i
       where i.account_id = w."accountId" and i.mode = w.mode and i.key = w.key
         and i.created_at > now() - interval '24 hours'
     ) k on true`,
    [JSON.stringify(keyRefs)],
  );
  const found = new Map(rows.map((row) => [idempotencyName(row), row]));
  return keyRefs.map((keyRef) => found.get(idempotencyName(keyRef)) ?? null);
}

/** Overwrites a key that was last used more than 24 hours ago. */
export async function saveIdempotencyKeys(
  tx: Transaction,
  records: readonly IdempotencyRecord[],
): Promise<void> {
  if (records.length === 0) return;
  await tx.query(
    `insert into idempotency_keys (account_id, mode, key, request_digest, task_id, credits)
     select "accountId", mode, key, "requestDigest", "taskId", credits
     from jsonb_to_recordset($1::jsonb) as c("accountId" uuid, mode text, key text,
       "requestDigest" text, "taskId" text, credits bigint)
     on conflict (account_id, mode, key) do update
       set request_digest = excluded.request_digest, task_id = excluded.task_id,
           credits = excluded.credits, created_at = now()
       where idempotency_keys.created_at <= now() - interval '24 hours'`,
    [JSON.stringify(records)],
  );
}

/** Deletes a part, and returns whether there may be more: all of a day could take too long. */
export async function deleteExpiredKeys(db: Queryable): Promise<boolean> {
  const isExpired = `created_at < now() - interval '25 hours'`;
  // Twice: one that is used again meanwhile has another time.
  const { rowCount } = await db.query(
    `delete from idempotency_keys where ${isExpired} and ctid = any(array(
       select ctid from idempotency_keys where ${isExpired} limit ${keysPerDelete}))`,
  );
  return rowCount === keysPerDelete;
}

const keysPerDelete = 10_000;

/** Deletes a part of an account's keys, and returns how many. */
export async function deleteIdempotencyKeys(db: Queryable, accountId: string): Promise<number> {
  const { rowCount } = await db.query(
    `delete from idempotency_keys where ctid in (
       select ctid from idempotency_keys where account_id = $1 limit 1000)`,
    [accountId],
  );
  return rowCount;
}

export const idempotencyName = ({ accountId, mode, key }: IdempotencyKeyRef): string =>
  JSON.stringify([accountId, mode, key]);
