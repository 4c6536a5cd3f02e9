/**
 * Tasks, times and attempts of the whole installation by day in UTC. Past days are added up once;
 * the others are read from the tasks themselves.
 */

import type { KeyMode, ModelName } from '@vidgen/contract/models.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { dayMs } from '../process/clock.ts';
import { addMarginDay } from './margin.ts';
import { idsSince, idsUntil } from './task-id.ts';
import { durationSql, type Period } from './usage-days.ts';

/** Of tasks in `$1` to `$2` by time and `$3` to `$4` by ID. */
const tasksSql = `
  select (created_at at time zone 'UTC')::date as day, mode, model,
    case when failed_reason = 'cancelled' then 'cancelled' else status end as outcome,
    case when billing_status = 'charged' then credits else 0 end as credits,
    case when status = 'completed'
      then round(20 * ln(greatest(${durationSql}, 0.1)))::int end as bucket
  from (
    select id, mode, model, status, failed_reason, billing_status, credits, created_at, finished_at
    from tasks where id >= $3 and id < $4
    union all
    select id, mode, model, status, null, billing_status, credits, created_at, finished_at
    from erased_tasks where id >= $3 and id < $4) counted
  where created_at >= $1::timestamptz and created_at < $2::timestamptz`;

const attemptsSql = `
  select (started_at at time zone 'UTC')::date as day, provider,
    coalesce(outcome, 'open') as outcome,
    count(*) as attempts
  from attempts
  where task_id >= $3 and task_id < $4
    and started_at >= $1::timestamptz and started_at < $2::timestamptz
  group by 1, 2, 3`;

/** A task may be submitted some time after it was created. */
const submitMs = 2 * dayMs;

const valuesOf = ({ since, until }: Period): unknown[] => [
  ...[since.toISOString(), until.toISOString(), idsSince(since), idsUntil(until)],
];
const attemptValuesOf = ({ since, until }: Period): unknown[] => [
  ...[since.toISOString(), until.toISOString()],
  ...[idsSince(new Date(since.getTime() - submitMs)), idsUntil(until)],
];

/** Adds the next day that `addUsageDay` has added, and returns false if there is none. */
export async function addInstallationDay(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ day: Date; until: Date }>(
    `select r.until as day, u.until
     from installation_rollup r cross join usage_rollup u for update of r skip locked`,
  );
  if (!rows[0]) return false;
  if (rows[0].day > rows[0].until) await removeDays(tx, rows[0].until);
  if (rows[0].day >= rows[0].until) return false;
  const period = { since: rows[0].day, until: new Date(rows[0].day.getTime() + dayMs) };
  await tx.query(
    `with counted as materialized (${tasksSql}),
     times as (
       insert into installation_times (day, mode, bucket, tasks)
       select day, mode, bucket, count(*) from counted where bucket is not null group by 1, 2, 3)
     insert into installation_days (day, mode, model, outcome, tasks, credits)
     select day, mode, model, outcome, count(*), sum(credits) from counted group by 1, 2, 3, 4`,
    valuesOf(period),
  );
  await tx.query(
    `insert into provider_days (day, provider, outcome, attempts) ${attemptsSql}`,
    attemptValuesOf(period),
  );
  await addMarginDay(tx, period);
  await tx.query('update installation_rollup set until = $1', [period.until.toISOString()]);
  return true;
}

/** As `addUsageDay` has removed days. */
async function removeDays(tx: Transaction, since: Date): Promise<void> {
  for (const table of ['installation_days', 'installation_times', 'provider_days', 'margin_days']) {
    await tx.query(`delete from ${table} where day >= ($1::timestamptz at time zone 'UTC')::date`, [
      since.toISOString(),
    ]);
  }
  await tx.query('update installation_rollup set until = $1', [since.toISOString()]);
}

type InstallationCount = {
  /** In UTC: `2026-01-31`. */
  readonly day: string;
  readonly model: ModelName;
  readonly outcome: 'queued' | 'generating' | 'completed' | 'failed' | 'cancelled';
  readonly tasks: number;
  readonly credits: number;
};
export type InstallationTime = {
  readonly day: string;
  readonly seconds: number;
  readonly tasks: number;
};
export type ProviderCount = {
  readonly day: string;
  readonly provider: string;
  readonly outcome: string;
  readonly attempts: number;
};

export type InstallationDays = {
  readonly counts: readonly InstallationCount[];
  readonly times: readonly InstallationTime[];
  readonly providers: readonly ProviderCount[];
};

/** Of whole days in UTC; `period.since` is midnight. */
export async function readInstallationDays(
  db: Queryable,
  { mode, period }: { readonly mode: KeyMode; readonly period: Period },
): Promise<InstallationDays> {
  const rest = await restOf(db, period);
  const days = [period.since.toISOString(), mode];
  const [counts, times, providers] = await Promise.all([
    db.query<InstallationCount>(
      `select to_char(day, 'YYYY-MM-DD') as day, model, outcome, sum(tasks)::bigint as tasks,
         sum(credits)::bigint as credits
       from (
         select day, model, outcome, tasks, credits from installation_days
         where day >= ($5::timestamptz at time zone 'UTC')::date and mode = $6
         union all
         select day, model, outcome, count(*), sum(credits) from (${tasksSql}) recent
         where mode = $6 group by 1, 2, 3) used
       group by used.day, 2, 3 order by 1, 2, 3`,
      [...valuesOf(rest), ...days],
    ),
    db.query<InstallationTime>(
      `select to_char(day, 'YYYY-MM-DD') as day, exp(bucket / 20.0)::float8 as seconds,
         sum(tasks)::bigint as tasks
       from (
         select day, bucket, tasks from installation_times
         where day >= ($5::timestamptz at time zone 'UTC')::date and mode = $6
         union all
         select day, bucket, count(*) from (${tasksSql}) recent
         where mode = $6 and bucket is not null group by 1, 2) used
       group by used.day, bucket order by 1, 2`,
      [...valuesOf(rest), ...days],
    ),
    readProviderCounts(db, { period, rest }),
  ]);
  return { counts: counts.rows, times: times.rows, providers };
}

/** Of whole days in UTC, as above. */
export async function readProviderDays(
  db: Queryable,
  period: Period,
): Promise<readonly ProviderCount[]> {
  return await readProviderCounts(db, { period, rest: await restOf(db, period) });
}

/** The days that are not added up. */
async function restOf(db: Queryable, period: Period): Promise<Period> {
  const { rows } = await db.query<{ until: Date }>('select until from installation_rollup');
  const added = rows[0]?.until ?? period.since;
  return { since: added > period.since ? added : period.since, until: period.until };
}

async function readProviderCounts(
  db: Queryable,
  { period, rest }: { readonly period: Period; readonly rest: Period },
): Promise<readonly ProviderCount[]> {
  const { rows } = await db.query<ProviderCount>(
    `select to_char(day, 'YYYY-MM-DD') as day, provider, outcome,
       sum(attempts)::bigint as attempts
     from (
       select day, provider, outcome, attempts from provider_days
       where day >= ($5::timestamptz at time zone 'UTC')::date
       union all ${attemptsSql}) used
     group by used.day, 2, 3 order by 1, 2, 3`,
    [...attemptValuesOf(rest), period.since.toISOString()],
  );
  return rows;
}
