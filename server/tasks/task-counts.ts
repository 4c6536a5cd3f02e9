/** Counts of tasks and of their credits, for limits, caps, metrics and badges. */

import type { KeyMode } from '@vidgen/contract/models.ts';
import type { BillingStatus, TaskStatus } from '@vidgen/contract/task-status.ts';
import type { Queryable } from '../database/database.ts';
import { creditsOfKeys } from './usage.ts';

/**
 * The credits that tasks of a key cost that were created since then: charged, reserved, or waiting
 * for their refund.
 */
export async function countKeyCredits(
  db: Queryable,
  key: {
    readonly accountId: string;
    readonly mode: KeyMode;
    readonly keyId: string;
    readonly since: Date;
  },
): Promise<number> {
  const { accountId, mode, keyId, since } = key;
  const charged = await creditsOfKeys(db, { accountId, since });
  const { rows } = await db.query<{ credits: number }>(
    `select coalesce(sum(credits), 0)::bigint as credits from (
       select credits, key_id, created_at from tasks
       where account_id = $1 and mode = $2 and finished_at is null
       union all
       select credits, key_id, created_at from tasks where billing_status = 'refund_failed') held
     where key_id = $3 and created_at >= $4`,
    [accountId, mode, keyId, since.toISOString()],
  );
  return (charged.get(keyId) ?? 0) + rows[0]!.credits;
}

type RunningCount = {
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly running: number;
};

/** Counts the tasks in progress of each account and mode, each up to its `countMax`. */
export async function countRunning(
  db: Queryable,
  wanted: readonly {
    readonly accountId: string;
    readonly mode: KeyMode;
    readonly countMax: number;
  }[],
): Promise<RunningCount[]> {
  const { rows } = await db.query<RunningCount>(
    `select w.account_id as "accountId", w.mode, t.running
     from unnest($1::uuid[], $2::text[], $3::int[]) as w (account_id, mode, count_max)
     cross join lateral (
       select count(*)::int as running from (
         select from tasks t
         where t.account_id = w.account_id and t.mode = w.mode and t.finished_at is null
         limit w.count_max) counted) t`,
    [
      wanted.map(({ accountId }) => accountId),
      wanted.map(({ mode }) => mode),
      wanted.map(({ countMax }) => countMax),
    ],
  );
  return rows;
}

export type PendingCounts = {
  /** Failed refunds that an admin has not resolved (docs/spec.md 3.2). */
  readonly refunds: number;
  readonly queued: number;
  readonly generating: number;
};

export async function countPending(db: Queryable): Promise<PendingCounts> {
  const { rows } = await db.query<PendingCounts>(
    `select
       (select count(*) from tasks
        where billing_status = 'refund_failed' and refund_outcome is null) as refunds,
       count(*) filter (where status = 'queued') as queued,
       count(*) filter (where status = 'generating') as generating
     from tasks where finished_at is null`,
  );
  return rows[0]!;
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
