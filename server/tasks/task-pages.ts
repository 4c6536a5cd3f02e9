/**
 * Numbered pages of an account's newest tasks, for the APIs of vendors whose lists have page
 * numbers and a total. Only recent tasks are listed, and only so many are counted.
 */
import type { KeyMode, ModelName } from '@vidgen/contract/models.ts';
import type { FailedReason, TaskStatus } from '@vidgen/contract/task-status.ts';
import type { Queryable } from '../database/database.ts';
import { findTasks } from './store.ts';
import type { Task } from './task.ts';
import { idsSince } from './task-id.ts';

/** A status, or the reason that other vendors show as a status of its own. */
export type TaskOutcome = TaskStatus | Extract<FailedReason, 'timed_out' | 'cancelled'>;

export type TaskPageFilter = {
  readonly accountId: string;
  readonly mode: KeyMode;
  /** Null for all, also in the next three. */
  readonly ids: readonly string[] | null;
  readonly models: readonly ModelName[] | null;
  readonly outcomes: readonly TaskOutcome[] | null;
  readonly createdSince: Date;
  readonly offset: number;
  readonly limit: number;
  readonly countMax: number;
};

const outcomeSql = `case when failed_reason in ('timed_out', 'cancelled') then failed_reason
  else status end`;

/** Newest first. */
export async function listTaskPage(
  db: Queryable,
  filter: TaskPageFilter,
): Promise<{ readonly total: number; readonly tasks: readonly Task[] }> {
  const { accountId, mode, ids, models, outcomes, createdSince, offset, limit, countMax } = filter;
  const { rows } = await db.query<{ total: number; ids: string[] | null }>(
    `with found as materialized (
       select id from tasks
       where account_id = $1 and mode = $2 and id >= $3 and created_at >= $4
         and ($5::text[] is null or id = any($5)) and ($6::text[] is null or model = any($6))
         and ($7::text[] is null or ${outcomeSql} = any($7))
       order by id desc limit $8)
     select (select count(*)::int from found) as total,
       (select array_agg(id) from (
         select id from found order by id desc offset $9 limit $10) page) as ids`,
    [
      ...[accountId, mode, idsSince(createdSince), createdSince, ids, models, outcomes],
      ...[countMax, offset, limit],
    ],
  );
  const { total, ids: pageIds } = rows[0]!;
  const tasks = await findTasks(db, pageIds ?? []);
  return { total, tasks: tasks.filter((task) => task !== null) };
}
