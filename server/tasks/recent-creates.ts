/**
 * Creates without an `Idempotency-Key` that a repeated request can be recognized by, for ten
 * minutes: those with a retry mark, and those whose response was not received.
 */
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';

/** The same API key, and the same digest of the request: possibly the same intent. */
export type RequestRef = { readonly keyId: string; readonly requestDigest: string };

export type RecentCreate = RequestRef & {
  readonly taskId: string;
  readonly credits: number;
  /** The highest retry mark that this task was the response to. */
  retryCount: number;
  /** Whether the response was not received, and the task can still serve the client. */
  isUndelivered: boolean;
  /** Whether the task was deleted since. */
  readonly isErased: boolean;
};

export const undeliveredChannel = 'vidgen_undelivered';

/** Seconds after which a repeated request is a new one. */
export const recentSeconds = 600;

/** Unique to the request; keys and digests contain no space. */
export const requestName = ({ keyId, requestDigest }: RequestRef): string =>
  `${keyId} ${requestDigest}`;

/** Oldest first. A task that failed or has lost its result is not worth adopting. */
export async function findRecentCreates(
  tx: Transaction,
  refs: readonly RequestRef[],
): Promise<RecentCreate[]> {
  if (refs.length === 0) return [];
  const keyIds = refs.map(({ keyId }) => keyId);
  const digests = refs.map(({ requestDigest }) => requestDigest);
  const { rows } = await tx.query<RecentCreate>(findStatement, [keyIds, digests, recentSeconds]);
  return rows;
}

const findStatement: PreparedStatement = {
  name: 'find_recent_creates',
  text: `select r.task_id as "taskId", r.key_id as "keyId", r.request_digest as "requestDigest",
       coalesce(t.credits, 0) as credits, t.id is null as "isErased",
       r.retry_count as "retryCount",
       coalesce(r.undelivered_at > recent.since, false) and (t.finished_at is null
         or t.status = 'completed' and t.expires_at > now()) as "isUndelivered"
     from (select now() - make_interval(secs => $3) as since) recent
     cross join unnest($1::text[], $2::text[]) as w(key_id, request_digest)
     join recent_creates r on r.key_id = w.key_id and r.request_digest = w.request_digest
     left join tasks t on t.id = r.task_id
     where greatest(r.created_at, r.undelivered_at) > recent.since
     order by r.task_id`,
};

/**
 * Records new creates, and that known ones were the response to a repeated request. Tells every
 * process of those whose client has gone.
 */
export async function saveRecentCreates(
  tx: Transaction,
  creates: readonly Omit<RecentCreate, 'credits' | 'isErased'>[],
): Promise<void> {
  if (creates.length === 0) return;
  await tx.query(
    `insert into recent_creates (task_id, key_id, request_digest, retry_count, undelivered_at)
     select "taskId", "keyId", "requestDigest", "retryCount",
       case when "isUndelivered" then now() end
     from jsonb_to_recordset($1::jsonb) as c("taskId" text, "keyId" text, "requestDigest" text,
       "retryCount" int, "isUndelivered" boolean)
     on conflict (task_id) do update
       set undelivered_at = excluded.undelivered_at, retry_count = excluded.retry_count`,
    [JSON.stringify(creates)],
  );
  const undelivered = creates.filter(({ isUndelivered }) => isUndelivered).map(toPayload);
  if (undelivered.length === 0) return;
  await tx.query('select pg_notify($1, payload) from unnest($2::text[]) payload', [
    undeliveredChannel,
    undelivered,
  ]);
}

export type UndeliveredCreate = RequestRef & { readonly taskId: string };

/**
 * Notes that the response with this task was not received, and tells every process. Without effect
 * if there is no such task.
 */
export async function noteUndelivered(db: Queryable, create: UndeliveredCreate): Promise<void> {
  await db.query(
    `with noted as (
       insert into recent_creates (task_id, key_id, request_digest, undelivered_at)
       select id, $2, $3, now() from tasks where id = $1
       on conflict (task_id) do update set undelivered_at = now()
       returning 1)
     select pg_notify('${undeliveredChannel}', $4) from noted`,
    [create.taskId, create.keyId, create.requestDigest, toPayload(create)],
  );
}

/** The client uses the task, so it has received its ID and repeats no request for it. */
export async function noteReceived(db: Queryable, taskId: string): Promise<void> {
  await db.query('delete from recent_creates where task_id = $1', [taskId]);
}

export async function listUndelivered(db: Queryable): Promise<UndeliveredCreate[]> {
  const { rows } = await db.query<UndeliveredCreate>(
    `select task_id as "taskId", key_id as "keyId", request_digest as "requestDigest"
     from recent_creates where undelivered_at > now() - make_interval(secs => $1)`,
    [recentSeconds],
  );
  return rows;
}

export async function deleteOldRecentCreates(db: Queryable): Promise<void> {
  await db.query(
    `delete from recent_creates
     where greatest(created_at, undelivered_at) < now() - 2 * make_interval(secs => $1)`,
    [recentSeconds],
  );
}

const toPayload = ({ taskId, keyId, requestDigest }: UndeliveredCreate): string =>
  [taskId, keyId, requestDigest].join(' ');

export function parseUndelivered(payload: string): UndeliveredCreate {
  const [taskId = '', keyId = '', requestDigest = ''] = payload.split(' ');
  return { taskId, keyId, requestDigest };
}
