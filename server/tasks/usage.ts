/**
 * Usage of tasks by day, model, resolution, status and key, and their durations. Queries read a
 * range of IDs, which sort by creation: the cost depends on the range, not on the table.
 */
import type { KeyMode, ModelName, Resolution } from '@vidgen/contract/models.ts';
import type { TaskStatus } from '@vidgen/contract/task-status.ts';
import type { Queryable } from '../database/database.ts';
import { idsSince, idsUntil } from './task-id.ts';

export type UsageFilter = {
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly model?: ModelName | undefined;
  readonly keyId?: string | undefined;
  readonly since: Date;
  readonly until: Date;
};

export type UsageCount = {
  /** Day of creation in UTC: `2026-01-31`. */
  readonly day: string;
  readonly model: ModelName;
  readonly resolution: Resolution;
  readonly status: TaskStatus;
  readonly keyId: string;
  readonly tasks: number;
  /** Charged credits; 0 for tasks that have not completed. */
  readonly credits: number;
};

/** How long completed tasks took from creation to completion. */
export type CompletionTimes = {
  readonly tasks: number;
  readonly p50Seconds: number;
  readonly p95Seconds: number;
};

/** Both are null in the entry for all models and resolutions. */
export type ModelTimes = CompletionTimes & {
  readonly model: ModelName | null;
  readonly resolution: Resolution | null;
};

/** Matches the index `tasks_by_account`: account, mode, ID. */
const inRange = `account_id = $1 and mode = $2 and id >= $3 and id < $4
  and created_at >= $5::timestamptz and created_at < $6::timestamptz
  and ($7::text is null or model = $7) and ($8::text is null or key_id = $8)`;

const rangeOf = ({ accountId, mode, model, keyId, since, until }: UsageFilter): unknown[] => [
  accountId,
  mode,
  idsSince(since),
  idsUntil(until),
  since.toISOString(),
  until.toISOString(),
  model ?? null,
  keyId ?? null,
];

const durationSql = 'extract(epoch from finished_at - created_at)::float8';
const timesSql = `count(*)::int as tasks,
  percentile_cont(0.5) within group (order by ${durationSql}) as "p50Seconds",
  percentile_cont(0.95) within group (order by ${durationSql}) as "p95Seconds"`;

/** Returns one row per combination that occurred, by day. */
export async function countUsage(db: Queryable, filter: UsageFilter): Promise<UsageCount[]> {
  const { rows } = await db.query<UsageCount>(
    `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, model,
       generation ->> 'resolution' as resolution, status, key_id as "keyId",
       count(*)::int as tasks,
       coalesce(sum(credits) filter (where billing_status = 'charged'), 0)::bigint as credits
     from tasks where ${inRange}
     group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
    rangeOf(filter),
  );
  return rows;
}

/** Durations of completed tasks: per model and resolution that occurred, and overall. */
export async function listCompletionTimes(
  db: Queryable,
  filter: UsageFilter,
): Promise<ModelTimes[]> {
  const { rows } = await db.query<ModelTimes>(
    `select model, resolution, ${timesSql}
     from (select model, generation ->> 'resolution' as resolution, created_at, finished_at
           from tasks where ${inRange} and status = 'completed') completed
     group by grouping sets ((model, resolution), ())
     having count(*) > 0 order by 1, 2`,
    rangeOf(filter),
  );
  return rows;
}

export type SimilarTasks = {
  readonly mode: KeyMode;
  readonly model: ModelName;
  readonly resolution: Resolution;
  readonly duration: number;
};

/** More tasks would add little precision and reflect the current speed less. */
const similarTasksMax = 200;

/**
 * Durations of the most recent completed tasks of this kind in all accounts; null if there are
 * none. The index `tasks_completed_alike` sorts them by kind and age, so at most 200 rows are read.
 */
export async function findSimilarTimes(
  db: Queryable,
  similar: SimilarTasks,
): Promise<CompletionTimes | null> {
  const { rows } = await db.query<CompletionTimes>(
    `select ${timesSql} from (
       select created_at, finished_at from tasks
       where mode = $1 and model = $2 and generation ->> 'resolution' = $3
         and generation ->> 'duration' = $4 and status = 'completed'
       order by id desc limit ${similarTasksMax}) newest
     having count(*) > 0`,
    [similar.mode, similar.model, similar.resolution, String(similar.duration)],
  );
  return rows[0] ?? null;
}

/** Returns the charged credits per key of an account since then. */
export async function creditsOfKeys(
  db: Queryable,
  { accountId, since }: { readonly accountId: string; readonly since: Date },
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ keyId: string; credits: number }>(
    `select key_id as "keyId", sum(credits)::bigint as credits from tasks
     where account_id = $1 and mode in ('live', 'test') and id >= $2
       and created_at >= $3::timestamptz and billing_status = 'charged'
     group by key_id`,
    [accountId, idsSince(since), since.toISOString()],
  );
  return new Map(rows.map(({ keyId, credits }) => [keyId, credits]));
}
