/**
 * Usage of whole days in UTC, added up once the tasks of a day are final. Readers take these days
 * from `usage_days` and the rest of their period from the tasks themselves.
 */

import type { Queryable, Transaction } from '../database/database.ts';
import { dayMs } from '../process/clock.ts';
import { idsSince, idsUntil } from './task-id.ts';

/** After the end of a day; a transaction that creates a task takes far less. */
const settledMs = 2 * 3_600_000;

export const durationSql = 'extract(epoch from finished_at - created_at)::float8';

/** Tasks and erased ones that satisfy a condition on the columns of both. */
export const countedTasksSql = (condition: string): string =>
  `select ${countedColumns}, generation ->> 'resolution' as resolution from tasks where ${condition}
   union all select ${countedColumns}, resolution from erased_tasks where ${condition}`;

const countedColumns = `id, account_id, mode, key_id, model, status, billing_status, credits,
  created_at, finished_at`;

export type Period = { readonly since: Date; readonly until: Date };

/**
 * Adds the next day, and returns false if it is not over, has unfinished tasks, or another process
 * is adding it.
 */
export async function addUsageDay(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ day: Date; over: Date }>(
    `select until as day, date_trunc('day', now() - $1 * interval '1 millisecond', 'UTC') as over
     from usage_rollup for update skip locked`,
    [settledMs],
  );
  if (!rows[0]) return false;
  const { day, over } = rows[0];
  if (day > over) await removeDays(tx, over);
  if (day >= over) return false;
  const until = new Date(day.getTime() + dayMs);
  const range = [day.toISOString(), until.toISOString()];
  const { rowCount: unfinished } = await tx.query(
    'select from tasks where finished_at is null and created_at < $1::timestamptz limit 1',
    [range[1]],
  );
  if (unfinished > 0) return false;
  await tx.query(
    `insert into usage_days
       (account_id, mode, day, model, resolution, status, key_id, tasks, credits, seconds)
     select account_id, mode, ($1::timestamptz at time zone 'UTC')::date, model,
       resolution, status, key_id, count(*),
       coalesce(sum(credits) filter (where billing_status = 'charged'), 0),
       coalesce(array_agg(${durationSql}) filter (where status = 'completed'), '{}')
     from (${countedTasksSql('id >= $3 and id < $4')}) counted
     where created_at >= $1::timestamptz and created_at < $2::timestamptz
     group by 1, 2, 4, 5, 6, 7`,
    [...range, idsSince(day), idsUntil(until)],
  );
  await tx.query('update usage_rollup set until = $1::timestamptz', [range[1]]);
  return true;
}

/**
 * Removes days that are not over: they were added while the database's clock was ahead. They are
 * added again, with the tasks that were created since.
 */
async function removeDays(tx: Transaction, since: Date): Promise<void> {
  const from = since.toISOString();
  await tx.query(`delete from usage_days where day >= ($1::timestamptz at time zone 'UTC')::date`, [
    from,
  ]);
  await tx.query(`update usage_rollup set until = greatest(since, $1::timestamptz)`, [from]);
}

/** The whole days of a period that are in `usage_days`, if any, and the rest of the period. */
export async function splitPeriod(
  db: Queryable,
  period: Period,
): Promise<{ days: Period | null; rest: readonly Period[] }> {
  const { rows } = await db.query<Period>('select since, until from usage_rollup');
  const added = rows[0]!;
  const days = {
    since: latest(new Date(Math.ceil(period.since.getTime() / dayMs) * dayMs), added.since),
    until: earliest(new Date(Math.floor(period.until.getTime() / dayMs) * dayMs), added.until),
  };
  if (days.since >= days.until) return { days: null, rest: [period] };
  const rest = [
    { since: period.since, until: days.since },
    { since: days.until, until: period.until },
  ];
  return { days, rest: rest.filter(({ since, until }) => since < until) };
}

const latest = (a: Date, b: Date): Date => (a > b ? a : b);
const earliest = (a: Date, b: Date): Date => (a < b ? a : b);
