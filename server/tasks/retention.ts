/**
 * Deletes what customers sent and received: tasks, or their requests alone. Slices of the oldest
 * tasks of an account and mode are found in the order of `tasks_by_account`. What the ledger and
 * usage need of a task is kept in `erased_tasks`, and its attempts without the providers' texts.
 */

import type { KeyMode } from '@vidgen/contract/models.ts';
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';
import { deleteMetadata } from './metadata.ts';
import { taskColumns } from './store.ts';
import type { Task } from './task.ts';
import { updateTaskWords } from './task-words.ts';

/** IDs between the two, both excluded. */
export type TaskRange = {
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly afterId: string;
  readonly beforeId: string;
};

/** Returns, for each range, whether it contains a task. */
export async function haveTasks(db: Queryable, ranges: readonly TaskRange[]): Promise<boolean[]> {
  if (ranges.length === 0) return [];
  const { rows } = await db.query<{ found: boolean }>(
    `select t.id is not null as found
     from jsonb_to_recordset($1::jsonb) as r("accountId" uuid, mode text, "afterId" text,
       "beforeId" text, at int)
     left join lateral (
       select id from tasks
       where account_id = r."accountId" and mode = r.mode and id > r."afterId"
         and id < r."beforeId"
       order by id limit 1) t on true
     order by r.at`,
    [JSON.stringify(ranges.map((range, at) => ({ ...range, at })))],
  );
  return rows.map(({ found }) => found);
}

/** How many tasks of an account are unfinished, and how many have a refund to resolve. */
export async function countOpenMatters(
  db: Queryable,
  accountId: string,
): Promise<{ readonly unfinished: number; readonly refunds: number }> {
  const { rows } = await db.query<{ unfinished: number; refunds: number }>(
    `select (select count(*) from tasks
             where account_id = $1 and finished_at is null)::int as unfinished,
       (select count(*) from tasks where account_id = $1 and billing_status = 'refund_failed'
          and refund_outcome is null)::int as refunds`,
    [accountId],
  );
  return rows[0]!;
}

const inRange = 'account_id = $1 and mode = $2 and id > $3 and id < $4';

const valuesOf = ({ accountId, mode, afterId, beforeId }: TaskRange, limit: number) => [
  ...[accountId, mode, afterId, beforeId, limit],
];

/**
 * Locks tasks that can be erased, oldest first: final ones without a refund to resolve. Leaves out
 * those that another transaction has locked.
 */
export async function lockErasableTasks(
  tx: Transaction,
  range: TaskRange,
  { limit }: { readonly limit: number },
): Promise<Task[]> {
  const { rows } = await tx.query<Task>(
    `select ${taskColumns} from tasks
     where ${inRange} and finished_at is not null
       and (billing_status <> 'refund_failed' or refund_outcome is not null)
     order by id limit $5 for update skip locked`,
    valuesOf(range, limit),
  );
  return rows;
}

/**
 * Deletes prompts, material URLs and metadata of a slice, and what providers wrote about them.
 * Returns how many tasks it went through, and the ID of the last one: it ends before the first
 * unfinished task, which is still needed.
 */
export async function eraseRequests(
  tx: Transaction,
  range: TaskRange,
  { limit }: { readonly limit: number },
): Promise<{ readonly tasks: number; readonly lastId: string }> {
  const { rows } = await tx.query<Task>(
    `select ${taskColumns} from tasks where ${inRange} order by id limit $5 for no key update`,
    valuesOf(range, limit),
  );
  const unfinishedAt = rows.findIndex(({ finishedAt }) => finishedAt === null);
  const finished = unfinishedAt < 0 ? rows : rows.slice(0, unfinishedAt);
  await deleteMetadata(tx, finished);
  const ids = finished.map(({ id }) => id);
  await tx.query(eraseRequestsStatement, [ids]);
  await updateTaskWords(tx, ids);
  return { tasks: finished.length, lastId: finished.at(-1)?.id ?? range.afterId };
}

export const eraseRequestsStatement: PreparedStatement = {
  name: 'erase_requests',
  text: `with blanked as (
           update attempts set detail = null where task_id = any($1::text[]) and detail is not null
         )
         update tasks set metadata = null, image_formats = null, created_by = null,
           dialect = dialect - 'safetyIdentifier', generation = generation
             || '{"prompt": "", "imageUrls": [], "videoUrls": [], "audioUrls": []}'
         where id = any($1::text[])`,
};

/**
 * Erases tasks that this transaction has locked with `lockTasks`. Idempotency keys stay
 * until they expire: a repeated create must not make a second task. Returns the IDs of those whose
 * files are still to be deleted.
 */
export async function eraseTasks(tx: Transaction, tasks: readonly Task[]): Promise<Set<string>> {
  await deleteMetadata(tx, tasks);
  const ids = tasks.map(({ id }) => id);
  const { rows } = await tx.query<{ id: string }>(eraseTasksStatement, [ids]);
  await updateTaskWords(tx, ids);
  return new Set(rows.map(({ id }) => id));
}

const eraseTasksStatement: PreparedStatement = {
  name: 'erase_tasks',
  text: `with erased as (
           delete from tasks where id = any($1::text[]) returning *
         ), blanked as (
           update attempts set detail = null where task_id = any($1::text[]) and detail is not null
         ), kept as (
           insert into erased_tasks (id, account_id, key_id, mode, model, resolution, status,
             billing_status, credits, created_at, finished_at)
           select id, account_id, key_id, mode, model, generation ->> 'resolution', status,
             billing_status, credits, created_at, finished_at from erased
         )
         select id from erased where result is not null and removed_at is null`,
};

export const isRefundPending = ({ billingStatus, refundOutcome }: Task): boolean =>
  billingStatus === 'refund_failed' && refundOutcome === null;
