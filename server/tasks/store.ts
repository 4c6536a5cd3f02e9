/**
 * The statements on the tasks table. A status change is one conditional update: if it changes no
 * row, another transaction was first, and the caller has no effect.
 */
import assert from 'node:assert/strict';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { Metadata } from '@vidgen/contract/metadata.ts';
import { type KeyMode, keyModes, type ModelName } from '@vidgen/contract/models.ts';
import {
  type BillingStatus,
  type FailedReason,
  failedReasons,
  type TaskStatus,
} from '@vidgen/contract/task-status.ts';
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';
import { findRarestPair, insertMetadata } from './metadata.ts';
import type { Result, Task, TaskDialect, TaskState } from './task.ts';
import { idsSince, idsUntil } from './task-id.ts';

const columns = `id, account_id as "accountId", key_id as "keyId", mode, status,
  billing_status as "billingStatus", failed_reason as "failedReason",
  refused_part as "rejectedPart", model, generation,
  callback_url as "callbackUrl", metadata, credits, created_at as "createdAt",
  deadline_at as "deadlineAt",
  submitted_at as "submittedAt", finished_at as "finishedAt", result, expires_at as "expiresAt",
  coalesce(expires_at <= now(), false) as expired,
  extract(epoch from deadline_at - now())::float8 as "secondsLeft", progress,
  refund_outcome as "refundOutcome", request_id as "requestId", created_by as "createdBy",
  priced_seconds as "pricedSeconds", coalesce(image_formats, '[]') as "imageFormats", dialect`;

export type NewTask = {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly mode: KeyMode;
  readonly model: ModelName;
  readonly generation: Generation;
  readonly callbackUrl: string | null;
  readonly metadata?: Metadata | null;
  readonly credits: number;
  readonly pricedSeconds?: number | null;
  readonly imageFormats?: readonly (string | null)[];
  readonly timeoutSeconds: number;
  readonly requestId: string;
  readonly createdBy: string | null;
  readonly dialect?: TaskDialect | undefined;
};

export async function insertTasks(tx: Transaction, tasks: readonly NewTask[]): Promise<void> {
  await tx.query(insertTasksStatement, [JSON.stringify(tasks)]);
  await insertMetadata(tx, tasks);
}

const insertTasksStatement: PreparedStatement = {
  name: 'insert_tasks',
  text: `insert into tasks (id, account_id, key_id, mode, model, generation, callback_url, credits,
           deadline_at, request_id, created_by, priced_seconds, image_formats, dialect,
           metadata)
         select id, "accountId", "keyId", mode, model, generation, "callbackUrl", credits,
           now() + make_interval(secs => "timeoutSeconds"), "requestId", "createdBy",
           "pricedSeconds", "imageFormats", dialect, metadata
         from jsonb_to_recordset($1::jsonb) as t(id text, "accountId" uuid, "keyId" text,
           mode text, model text, generation jsonb, "callbackUrl" text, credits bigint,
           "timeoutSeconds" float8, "requestId" text, "createdBy" text, "pricedSeconds" float8,
           "imageFormats" jsonb, dialect jsonb, metadata jsonb)`,
};

/** Returns tasks in the order of `ids`; null where there is no such task. */
export async function findTasks(
  db: Queryable,
  ids: readonly string[],
): Promise<readonly (Task | null)[]> {
  const { rows } = await db.query<Task>(findTasksStatement, [ids]);
  const found = new Map(rows.map((task) => [task.id, task]));
  return ids.map((id) => found.get(id) ?? null);
}

const findTasksStatement: PreparedStatement = {
  name: 'find_tasks',
  text: `select ${columns} from tasks where id = any($1::text[])`,
};

/** As `findTasks`, with what a status response needs. */
export async function findTaskStates(
  db: Queryable,
  ids: readonly string[],
): Promise<readonly (TaskState | null)[]> {
  const { rows } = await db.query<TaskState>(findTaskStatesStatement, [ids]);
  const found = new Map<string, TaskState>();
  for (const state of rows) found.set(state.id, state);
  return ids.map((id) => found.get(id) ?? null);
}

const findTaskStatesStatement: PreparedStatement = {
  name: 'find_task_states',
  text: `select id, account_id as "accountId", key_id as "keyId", mode, status,
           billing_status as "billingStatus", failed_reason as "failedReason", model, credits,
           progress, metadata, created_at as "createdAt",
           submitted_at as "submittedAt", finished_at as "finishedAt", result,
           expires_at as "expiresAt", coalesce(expires_at <= now(), false) as expired
         from tasks where id = any($1::text[])`,
};

type UnfinishedEdit = Pick<Task, 'id' | 'accountId'> & { /** How many. */ readonly videos: number };

/** The unfinished tasks that are priced by their source. */
export async function findUnfinishedEdits(db: Queryable): Promise<UnfinishedEdit[]> {
  const { rows } = await db.query<UnfinishedEdit>(
    `select id, account_id as "accountId", jsonb_array_length(generation->'videoUrls') as videos
     from tasks where finished_at is null and priced_seconds is not null`,
  );
  return rows;
}

export async function findTask(db: Queryable, id: string): Promise<Task | null> {
  return (await findTasks(db, [id]))[0] ?? null;
}

/**
 * Locks tasks until the caller commits, in order of ID, so that two transactions on the same tasks
 * cannot deadlock. Returns the existing ones by ID.
 */
export async function lockTasks(
  tx: Transaction,
  ids: readonly string[],
): Promise<Map<string, Task>> {
  const { rows } = await tx.query<Task>(lockTasksStatement, [ids]);
  return new Map(rows.map((task) => [task.id, task]));
}

const lockTasksStatement: PreparedStatement = {
  name: 'lock_tasks',
  text: `select ${columns} from tasks where id = any($1::text[]) order by id for no key update`,
};

/** Locks queued tasks in the order of their IDs before they are changed, as `lockTasks` does. */
const queuedTasks = `queued as (
  select id from tasks where id = any($1::text[]) and status = 'queued'
  order by id for no key update)`;

export async function moveToGenerating(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query(moveToGeneratingStatement, [ids]);
}

const moveToGeneratingStatement: PreparedStatement = {
  name: 'move_to_generating',
  text: `with ${queuedTasks}
         update tasks t set status = 'generating', submitted_at = coalesce(submitted_at, now())
         from queued q where t.id = q.id and t.status = 'queued'`,
};

/** `processing_time` counts from the first submission, whether or not the provider responds. */
export async function markSubmitted(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query(markSubmittedStatement, [ids]);
}

const markSubmittedStatement: PreparedStatement = {
  name: 'mark_submitted',
  text: `with ${queuedTasks}
         update tasks t set submitted_at = coalesce(submitted_at, now())
         from queued q where t.id = q.id and t.status = 'queued'`,
};

export type Completion = { readonly id: string; readonly result: Result };

/** Returns the tasks that changed, in no particular order. */
export async function moveToCompleted(
  tx: Transaction,
  completions: readonly Completion[],
  { ttlSeconds }: { readonly ttlSeconds: number },
): Promise<Task[]> {
  if (completions.length === 0) return [];
  const values = [JSON.stringify(completions), ttlSeconds];
  return (await tx.query<Task>(moveToCompletedStatement, values)).rows;
}

const moveToCompletedStatement: PreparedStatement = {
  name: 'move_to_completed',
  text: `with moved as (
           update tasks t set status = 'completed', billing_status = 'charged',
             finished_at = now(), result = c.result,
             expires_at = now() + make_interval(secs => $2), progress = 1
           from jsonb_to_recordset($1::jsonb) as c(id text, result jsonb)
           where t.id = c.id and t.status = 'generating'
           returning t.*)
         select ${columns} from moved`,
};

export type TaskFailureUpdate = {
  readonly id: string;
  readonly reason: FailedReason;
  /**
   * The rejected part of the content, if the provider reports it; stored with `provider_rejected`
   * only.
   */
  readonly rejectedPart?: RejectedPart | undefined;
  readonly billingStatus: 'refunded' | 'refund_failed';
};

/** Returns the tasks that changed, in no particular order. */
export async function moveToFailed(
  tx: Transaction,
  failures: readonly TaskFailureUpdate[],
): Promise<Task[]> {
  if (failures.length === 0) return [];
  const { rows } = await tx.query<Task>(
    `with moved as (
       update tasks t set status = 'failed', failed_reason = f.reason,
         refused_part = case f.reason when 'provider_rejected' then f."rejectedPart" end,
         billing_status = f."billingStatus", finished_at = now()
       from jsonb_to_recordset($1::jsonb) as f(id text, reason text, "rejectedPart" text,
         "billingStatus" text)
       where t.id = f.id and t.status in ('queued', 'generating')
       returning t.*)
     select ${columns} from moved`,
    [JSON.stringify(failures)],
  );
  return rows;
}

export async function settleRefund(
  tx: Transaction,
  { id, outcome }: { id: string; outcome: 'refunded' | 'written_off' },
): Promise<Task | null> {
  const { rows } = await tx.query<Task>(
    `update tasks set refund_outcome = $2,
       billing_status = case $2 when 'refunded' then 'refunded' else billing_status end
     where id = $1 and billing_status = 'refund_failed' and refund_outcome is null
     returning ${columns}`,
    [id, outcome],
  );
  return rows[0] ?? null;
}

export async function recordProgress(db: Queryable, id: string, progress: number): Promise<void> {
  await db.query(`update tasks set progress = $2 where id = $1 and status = 'generating'`, [
    id,
    progress,
  ]);
}

export async function markResultDeleted(tx: Transaction, id: string): Promise<void> {
  await tx.query('update tasks set removed_at = coalesce(removed_at, now()) where id = $1', [id]);
}

/** Whether there is a result that has not expired. Reads the whole table if there is none. */
export async function hasStoredResults(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from tasks where expires_at > now() and removed_at is null limit 1',
  );
  return rowCount > 0;
}

export type TaskFilter = {
  readonly accountId?: string | undefined;
  readonly mode?: KeyMode | undefined;
  readonly status?: TaskStatus | undefined;
  readonly billingStatus?: BillingStatus | undefined;
  /** Only failed refunds that no admin has resolved yet. */
  readonly refundPending?: boolean;
  readonly failedReason?: FailedReason | undefined;
  readonly model?: ModelName | undefined;
  readonly keyId?: string | undefined;
  /** Only tasks with all of these pairs; needs `accountId`. */
  readonly metadata?: Metadata | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  /** Returns tasks before this ID: the cursor. IDs sort by creation. */
  readonly beforeId?: string | undefined;
  readonly limit: number;
};

/** Repeat the predicates of the indexes `tasks_refund_failures` and `tasks_unfinished`. */
const refundPendingSql = `and billing_status = 'refund_failed' and refund_outcome is null`;
const unfinishedSql = 'and finished_at is null';

/** Newest first. Times are in Unix seconds. */
export async function listTasks(db: Queryable, filter: TaskFilter): Promise<Task[]> {
  const { status, billingStatus, createdAfter, createdBefore } = filter;
  const parts = partsOf(filter);
  const metadataValues = await metadataValuesOf(db, filter);
  const { rows } = await db.query<Task>(parts ? listPartsSql(filter, parts) : listSql(filter), [
    filter.accountId ?? null,
    (filter.metadata ? null : filter.mode) ?? null,
    // A reason implies it; PostgreSQL would expect a tenth of the rows and sort them.
    (parts?.column === 'failed_reason' && status === 'failed' ? null : status) ?? null,
    billingStatus ?? null,
    filter.model ?? null,
    createdAfter ?? null,
    createdBefore ?? null,
    filter.beforeId ?? null,
    filter.limit,
    filter.keyId ?? null,
    createdAfter === undefined ? null : idsSince(new Date(createdAfter * 1000)),
    createdBefore === undefined ? null : idsUntil(new Date(createdBefore * 1000)),
    ...(parts ? [parts.values] : []),
    ...metadataValues,
  ]);
  return rows;
}

const listSql = (filter: TaskFilter, condition = ''): string => {
  const { status, billingStatus, refundPending, metadata } = filter;
  const isUnfinished = billingStatus === 'reserved' || ['queued', 'generating'].includes(status!);
  return `select ${columns} from ${metadata ? tasksWithPairSql : 'tasks'}
     where ${metadata ? 'true' : '($1::uuid is null or account_id = $1)'}
       and ($2::text is null or mode = $2) and ($3::text is null or status = $3)
       and ($4::text is null or billing_status = $4) and ($5::text is null or model = $5)
       and ($6::float8 is null or created_at >= to_timestamp($6))
       and ($7::float8 is null or created_at < to_timestamp($7))
       and ($8::text is null or id < $8) and ($10::text is null or key_id = $10)
       and ($11::text is null or id >= $11) and ($12::text is null or id < $12)
       ${isUnfinished ? unfinishedSql : ''} ${refundPending ? refundPendingSql : ''} ${condition}
       ${metadata ? metadataSql : ''}
     order by id desc limit $9`;
};

/**
 * Newest first from the index of one pair; the row is checked for all of them. The account
 * and mode are conditions of the pair alone: with them, PostgreSQL could read the tasks of the
 * account again for every row of the pair.
 */
const tasksWithPairSql = `(select task_id from task_metadata
       where account_id = $1 and mode = part and pair = decode($14::text, 'hex')
         and ($8::text is null or task_id < $8)
         and ($11::text is null or task_id >= $11) and ($12::text is null or task_id < $12)
       order by task_id desc) m join tasks on id = task_id`;
const metadataSql = 'and metadata @> $15::jsonb and ($16::text is null or failed_reason = $16)';

async function metadataValuesOf(
  db: Queryable,
  { accountId, metadata, failedReason }: TaskFilter,
): Promise<readonly unknown[]> {
  if (!metadata) return [];
  assert(accountId, 'the index of pairs is by account');
  const pair = await findRarestPair(db, { accountId, metadata });
  return [pair, JSON.stringify(metadata), failedReason ?? null];
}

type Parts = { readonly column: string; readonly values: readonly string[] };

/**
 * The parts of an index that hold the tasks, each sorted by ID: those of failed tasks are sorted by
 * reason first, those of an account and of a
 * pair by mode. Null if the filter names the part, or there are none.
 */
function partsOf(filter: TaskFilter): Parts | null {
  const { accountId, mode, status, billingStatus, failedReason, metadata } = filter;
  if (metadata) return { column: 'mode', values: mode ? [mode] : keyModes };
  if (status === 'failed' || billingStatus === 'refunded' || failedReason) {
    return { column: 'failed_reason', values: failedReason ? [failedReason] : failedReasons };
  }
  return accountId && !mode ? { column: 'mode', values: keyModes } : null;
}

/** Reads a page of each part, and returns the newest of them all. */
const listPartsSql = (filter: TaskFilter, { column }: Parts): string =>
  `select page.* from unnest($13::text[]) as parts (part) cross join lateral (
     ${listSql(filter, filter.metadata ? '' : `and ${column} = part`)}) page
   order by page.id desc limit $9`;

/** Oldest first: the tasks of an account and mode after an ID. */
export async function listTasksAscending(
  db: Queryable,
  {
    accountId,
    mode,
    afterId,
    limit,
  }: { accountId: string; mode: KeyMode; afterId: string | undefined; limit: number },
): Promise<Task[]> {
  const { rows } = await db.query<Task>(
    `select ${columns} from tasks
     where account_id = $1 and mode = $2 and ($3::text is null or id > $3)
     order by id limit $4`,
    [accountId, mode, afterId ?? null, limit],
  );
  return rows;
}

export type TaskCount = {
  readonly status: TaskStatus;
  readonly billingStatus: BillingStatus;
  readonly tasks: number;
};

/** For metrics: kept by triggers, so that no task is read. */
export async function countTasks(db: Queryable): Promise<TaskCount[]> {
  const { rows } = await db.query<TaskCount>(
    `select status, billing_status as "billingStatus", sum(tasks)::bigint as tasks
     from task_counts group by 1, 2 having sum(tasks) <> 0`,
  );
  return rows;
}

/** Adds up the differences that the triggers have written. Any number of processes may run it. */
export async function foldTaskCounts(db: Queryable): Promise<void> {
  await db.query(
    `with folded as (
       delete from task_counts
       where id in (select id from task_counts order by id limit 100000 for update skip locked)
       returning status, billing_status, tasks)
     insert into task_counts (status, billing_status, tasks)
     select status, billing_status, sum(tasks) from folded group by 1, 2 having sum(tasks) <> 0`,
  );
}
