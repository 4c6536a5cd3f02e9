/**
 * Usage of tasks by day, model, resolution, status and key, and their durations. Past days are
 * added up; of the others, queries read a range of IDs, which sort by creation.
 */
import {
  type KeyMode,
  keyModes,
  type ModelName,
  type Resolution,
} from '@vidgen/contract/models.ts';
import { type FailedReason, failedReasons, type TaskStatus } from '@vidgen/contract/task-status.ts';
import type { PreparedStatement, Queryable } from '../database/database.ts';
import { dayMs, nowMs } from '../process/clock.ts';
import { idsSince, idsUntil } from './task-id.ts';
import { countedTasksSql, durationSql, splitPeriod } from './usage-days.ts';

export type UsageFilter = {
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly model?: ModelName | undefined;
  readonly keyId?: string | undefined;
  readonly since: Date;
  readonly until: Date;
};

type UsageCount = {
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

const timesSql = `count(*)::int as tasks,
  percentile_cont(0.5) within group (order by seconds) as "p50Seconds",
  percentile_cont(0.95) within group (order by seconds) as "p95Seconds"`;

/**
 * Whole days from `usage_days`, and single tasks for the rest of the period. Conditions match the
 * index `tasks_by_account`: account, mode, ID.
 */
const usedSql = `
  select day, model, resolution, status, key_id, tasks, credits, seconds
  from usage_days
  where account_id = $1 and mode = any($2::text[])
    and day >= ($9::timestamptz at time zone 'UTC')::date
    and day < ($10::timestamptz at time zone 'UTC')::date
    and ($3::text is null or model = $3) and ($4::text is null or key_id = $4)
  union all
  select (created_at at time zone 'UTC')::date, model, resolution, status, key_id, 1,
    case when billing_status = 'charged' then credits else 0 end,
    case when status = 'completed' then array[${durationSql}] end
  from unnest($5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[])
    as rest (first_id, end_id, since, until)
  cross join lateral (${countedTasksSql(
    `account_id = $1 and mode = any($2::text[]) and id >= first_id and id < end_id`,
  )}) counted
  where created_at >= since and created_at < until
    and ($3::text is null or model = $3) and ($4::text is null or key_id = $4)`;

type UsedFilter = Omit<UsageFilter, 'mode'> & { readonly modes: readonly KeyMode[] };

async function usedValues(db: Queryable, filter: UsedFilter): Promise<unknown[]> {
  const { days, rest } = await splitPeriod(db, filter);
  return [
    filter.accountId,
    filter.modes,
    filter.model ?? null,
    filter.keyId ?? null,
    rest.map(({ since }) => idsSince(since)),
    rest.map(({ until }) => idsUntil(until)),
    rest.map(({ since }) => since.toISOString()),
    rest.map(({ until }) => until.toISOString()),
    days?.since.toISOString() ?? null,
    days?.until.toISOString() ?? null,
  ];
}

/** What an account used in a period. */
export type Usage = {
  /** One for each combination that occurred, by day. */
  readonly counts: readonly UsageCount[];
  /** Of completed tasks: per model and resolution that occurred, and overall. */
  readonly times: readonly ModelTimes[];
};

/** Prepared: with many rows, planning it took as long as running it. */
const usageStatement: PreparedStatement = {
  name: 'read_usage',
  text: `with used as materialized (${usedSql}),
    kinds as (
      select model, resolution from used where seconds <> '{}' group by 1, 2
      union all select null, null)
    select to_char(day, 'YYYY-MM-DD') as day, model, resolution, status, key_id as "keyId",
      sum(tasks)::int as tasks, sum(credits)::bigint as credits,
      null::float8 as "p50Seconds", null::float8 as "p95Seconds"
    from used u group by u.day, 2, 3, 4, 5
    union all
    select null, kinds.model, kinds.resolution, null, null, times.tasks, null,
      times."p50Seconds", times."p95Seconds"
    from kinds cross join lateral (
      select ${timesSql} from (
        select unnest(u.seconds) as seconds from used u
        where kinds.model is null or (u.model, u.resolution) = (kinds.model, kinds.resolution)
      ) completed
    ) times
    where times.tasks > 0
    order by 1, 2, 3, 4, 5`,
};

/**
 * Reads the rows of the period once for both: with a long history they are most of the cost. Times
 * are found for each kind of task by itself, which sorts numbers only.
 */
export async function readUsage(db: Queryable, filter: UsageFilter): Promise<Usage> {
  const { rows } = await db.query<UsageCount & ModelTimes & { readonly day: string | null }>(
    usageStatement,
    await usedValues(db, { ...filter, modes: [filter.mode] }),
  );
  return {
    counts: rows
      .filter(({ day }) => day !== null)
      .map(({ day, model, resolution, status, keyId, tasks, credits }) => ({
        day,
        model,
        resolution,
        status,
        keyId,
        tasks,
        credits,
      })),
    times: rows
      .filter(({ day }) => day === null)
      .map(({ model, resolution, tasks, p50Seconds, p95Seconds }) => ({
        model,
        resolution,
        tasks,
        p50Seconds,
        p95Seconds,
      })),
  };
}

export type FailureCount = { readonly reason: FailedReason; readonly tasks: number };

/** Of tasks that are not deleted; a range of `tasks_failed_of_account` for each reason. */
export async function readFailures(db: Queryable, filter: UsageFilter): Promise<FailureCount[]> {
  const { accountId, mode, model = null, keyId = null, since, until } = filter;
  const { rows } = await db.query<FailureCount>(
    `select reason, tasks from unnest($2::text[]) as reasons (reason) cross join lateral (
       select count(*)::int as tasks from tasks
       where account_id = $1 and failed_reason = reason and mode = $3
         and id >= $4 and id < $5 and created_at >= $6::timestamptz and created_at < $7::timestamptz
         and ($8::text is null or model = $8) and ($9::text is null or key_id = $9)) counted
     where tasks > 0 order by tasks desc, reason`,
    [
      ...[accountId, failedReasons, mode, idsSince(since), idsUntil(until)],
      ...[since.toISOString(), until.toISOString(), model, keyId],
    ],
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
       select ${durationSql} as seconds from tasks
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
  const until = new Date(nowMs() + dayMs);
  const { rows } = await db.query<{ keyId: string; credits: number }>(
    `select key_id as "keyId", sum(credits)::bigint as credits from (${usedSql}) used
     where credits > 0 group by key_id`,
    await usedValues(db, { accountId, modes: keyModes, since, until }),
  );
  return new Map(rows.map(({ keyId, credits }) => [keyId, credits]));
}
