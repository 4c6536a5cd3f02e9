/**
 * Creates without an `Idempotency-Key` whose connection broke before the response was written. The
 * next identical create of the API key within ten minutes gets the task.
 */
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';

/** The same API key and the same digest: an identical create. */
export type RequestRef = { readonly keyId: string; readonly requestDigest: string };

export type UndeliveredCreate = RequestRef & { readonly taskId: string };

/** Seconds after which an identical create is a new one. */
const undeliveredSeconds = 600;

/**
 * Returns the undelivered creates of API keys, oldest first, and locks them. They are found by key
 * alone, because hardly any key has one and a digest costs more than this look-up.
 */
export async function lockUndelivered(
  tx: Transaction,
  keyIds: readonly string[],
): Promise<(UndeliveredCreate & { readonly credits: number })[]> {
  if (keyIds.length === 0) return [];
  const { rows } = await tx.query<UndeliveredCreate & { credits: number }>(lockStatement, [
    keyIds,
    undeliveredSeconds,
  ]);
  return rows;
}

const lockStatement: PreparedStatement = {
  name: 'lock_undelivered_creates',
  text: `select r.task_id as "taskId", r.key_id as "keyId", r.request_digest as "requestDigest",
       t.credits
     from undelivered_creates r join tasks t on t.id = r.task_id
     where r.key_id = any($1::text[]) and r.undelivered_at > now() - make_interval(secs => $2)
     order by r.task_id
     for update of r`,
};

export async function saveUndelivered(
  db: Queryable,
  creates: readonly UndeliveredCreate[],
): Promise<void> {
  if (creates.length === 0) return;
  await db.query(
    `insert into undelivered_creates (task_id, key_id, request_digest)
     select "taskId", "keyId", "requestDigest"
     from jsonb_to_recordset($1::jsonb) as c("taskId" text, "keyId" text, "requestDigest" text)
     on conflict (task_id) do update set undelivered_at = now()`,
    [JSON.stringify(creates)],
  );
}

export async function deleteUndelivered(
  tx: Transaction,
  taskIds: readonly string[],
): Promise<void> {
  if (taskIds.length === 0) return;
  await tx.query('delete from undelivered_creates where task_id = any($1::text[])', [taskIds]);
}

export async function deleteOldUndelivered(db: Queryable): Promise<void> {
  await db.query(
    `delete from undelivered_creates
     where undelivered_at < now() - 2 * make_interval(secs => $1)`,
    [undeliveredSeconds],
  );
}
