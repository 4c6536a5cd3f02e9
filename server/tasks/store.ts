/**
 * The statements on the tasks table. A status change is one conditional update: if it changes no
 * row, another transaction was first, and the caller has no effect.
 */

import type { CreateRequest } from '@vidgen/contract/create-generation.ts';
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';
import { insertMetadata } from './metadata.ts';
import { type Result, resultKeys, type Task, type TaskDialect, type TaskState } from './task.ts';

export const taskChannel = 'vidgen_tasks';

export const taskColumns = `id, account_id as "accountId", key_id as "keyId", mode, status,
  billing_status as "billingStatus", failed_reason as "failedReason",
  refused_part as "rejectedPart", model, generation,
  callback_url as "callbackUrl", metadata, credits, created_at as "createdAt",
  deadline_at as "deadlineAt",
  submitted_at as "submittedAt", finished_at as "finishedAt", result, expires_at as "expiresAt",
  coalesce(expires_at <= now(), false) as expired,
  extract(epoch from deadline_at - now())::float8 as "secondsLeft", progress,
  refund_outcome as "refundOutcome", request_id as "requestId", created_by as "createdBy",
  priced_seconds as "pricedSeconds", coalesce(image_formats, '[]') as "imageFormats", dialect`;

export type NewTask = CreateRequest &
  Pick<Task, 'id' | 'accountId' | 'keyId' | 'mode' | 'model' | 'credits'> & {
    /** The seconds of output that `credits` pay for; only for edits. */
    readonly pricedSeconds?: number | null;
    /** Of the images, such as `HEIC`; null where it is not known. */
    readonly imageFormats?: readonly (string | null)[];
    readonly timeoutSeconds: number;
    /** ID of the HTTP request. A repeated create keeps the ID of the first on the task. */
    readonly requestId: string;
    /** The person who created the task in the playground; null for API keys. */
    readonly createdBy: string | null;
    /** Set by creates through the API of another vendor. */
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
  text: `select ${taskColumns} from tasks where id = any($1::text[])`,
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
  text: `select ${taskColumns} from tasks where id = any($1::text[]) order by id for no key update`,
};

/** Locks queued tasks in the order of their IDs before they are changed, as `lockTasks` does. */
const queuedTasks = `queued as (
  select id from tasks where id = any($1::text[]) and status = 'queued'
  order by id for no key update)`;

/** Listeners are notified as by `notifyTaskChanges`. */
export async function moveToGenerating(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query(moveToGeneratingStatement, [ids]);
}

const moveToGeneratingStatement: PreparedStatement = {
  name: 'move_to_generating',
  text: `with ${queuedTasks}, moved as (
           update tasks t set status = 'generating', submitted_at = coalesce(submitted_at, now())
           from queued q where t.id = q.id and t.status = 'queued'
           returning t.id)
         select pg_notify('${taskChannel}', id) from moved`,
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

export type Completion = {
  readonly id: string;
  readonly result: Result;
  /** How long the result is kept. */
  readonly ttlSeconds: number;
};

/** Returns the tasks that changed, in no particular order. */
export async function moveToCompleted(
  tx: Transaction,
  completions: readonly Completion[],
): Promise<Task[]> {
  if (completions.length === 0) return [];
  const values = [JSON.stringify(completions), completions.map(({ id }) => id)];
  return (await tx.query<Task>(moveToCompletedStatement, values)).rows;
}

/** The condition on the IDs alone makes PostgreSQL look them up, not read all of a status. */
const moveToCompletedStatement: PreparedStatement = {
  name: 'move_to_completed',
  text: `with moved as (
           update tasks t set status = 'completed', billing_status = 'charged',
             finished_at = now(), result = c.result,
             expires_at = now() + make_interval(secs => c."ttlSeconds"), progress = 1
           from jsonb_to_recordset($1::jsonb) as c(id text, result jsonb, "ttlSeconds" float8)
           where t.id = any($2::text[]) and t.id = c.id and t.status = 'generating'
           returning t.*)
         select ${taskColumns} from moved`,
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
       where t.id = any($2::text[]) and t.id = f.id and t.status in ('queued', 'generating')
       returning t.*)
     select ${taskColumns} from moved`,
    [JSON.stringify(failures), failures.map(({ id }) => id)],
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
     returning ${taskColumns}`,
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

const pageRows = 5_000;

/**
 * Yields the storage keys of all results that were not deleted, in slices of the table. Names
 * columns of the first migrations only, since a backup is made before an upgrade, too.
 */
export async function* listResultKeys(db: Queryable): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const { rows } = await db.query<Result & { readonly id: string }>(
      `select id, result->>'video' as video, result->>'lastFrame' as "lastFrame",
         result->>'poster' as poster
       from tasks where result is not null and removed_at is null and id > $1
       order by id limit ${pageRows}`,
      [after],
    );
    for (const row of rows) yield* resultKeys(row);
    if (rows.length < pageRows) return;
    after = rows.at(-1)!.id;
  }
}

/** Those of the tasks whose results are neither expired nor deleted. */
export async function findStoredResults(
  db: Queryable,
  taskIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(
    `select id from tasks
     where id = any($1::text[]) and removed_at is null and expires_at > now()`,
    [taskIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Listeners are notified when the transaction commits; the payload is the task's ID. */
export async function notifyTaskChanges(
  tx: Transaction,
  taskIds: readonly string[],
): Promise<void> {
  await tx.query(notifyStatement, [taskIds]);
}

const notifyStatement: PreparedStatement = {
  name: 'notify_task_changes',
  text: `select pg_notify('${taskChannel}', id) from unnest($1::text[]) as id`,
};
