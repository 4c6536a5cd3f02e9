/**
 * Numbered pages of an account's newest tasks, for the APIs of vendors whose lists have page
 * numbers and a total. Only recent tasks are listed, and only so many are counted.
 */
import type { KeyMode, ModelName } from '@vidgen/contract/models.ts';
import type { Queryable } from '../database/database.ts';
import { findTasks } from './store.ts';
import type { Task } from './task.ts';
import { idsSince } from './task-id.ts';

export type TaskPageFilter = {
  readonly accountId: string;
  readonly mode: KeyMode;
  /** Null for all, also in the next three. */
  readonly ids: readonly string[] | null;
  readonly models: readonly ModelName[] | null;
  /** As `modelArkStatusSql` names them. */
  readonly statuses: readonly string[] | null;
  readonly createdSince: Date;
  readonly offset: number;
  readonly limit: number;
  readonly countMax: number;
};

/** ModelArk's name of a task's status. `modelArkStatus` does the same. */
const modelArkStatusSql = `case
  when status = 'queued' then 'queued'
  when status = 'generating' then 'running'
  when status = 'completed' then 'succeeded'
  when failed_reason = 'timed_out' then 'expired'
  when failed_reason = 'cancelled' then 'cancelled'
  else 'failed' end`;

/** Newest first. */
export async function listTaskPage(
  db: Queryable,
  filter: TaskPageFilter,
): Promise<{ readonly total: number; readonly tasks: readonly Task[] }> {
  const { accountId, mode, ids, models, statuses, createdSince, offset, limit, countMax } = filter;
  const { rows } = await db.query<{ total: number; ids: string[] | null }>(
    `with found as materialized (
       select id from tasks
       where account_id = $1 and mode = $2 and id >= $3 and created_at >= $4
         and ($5::text[] is null or id = any($5)) and ($6::text[] is null or model = any($6))
         and ($7::text[] is null or ${modelArkStatusSql} = any($7))
       order by id desc limit $8)
     select (select count(*)::int from found) as total,
       (select array_agg(id) from (
         select id from found order by id desc offset $9 limit $10) page) as ids`,
    [
      ...[accountId, mode, idsSince(createdSince), createdSince, ids, models, statuses],
      ...[countMax, offset, limit],
    ],
  );
  const { total, ids: pageIds } = rows[0]!;
  const tasks = await findTasks(db, pageIds ?? []);
  return { total, tasks: tasks.filter((task) => task !== null) };
}
