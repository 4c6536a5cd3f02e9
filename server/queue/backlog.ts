/** Counts and times of queued jobs, for metrics and admin pages. */
import type { Queryable } from '../database/database.ts';
import type { JobKind } from './job.ts';

export type Backlog = {
  readonly kind: JobKind;
  /** Could run now if a worker had a free slot. */
  readonly due: number;
  readonly scheduled: number;
  /** Leased to a worker. */
  readonly running: number;
  readonly oldestDueSeconds: number | null;
};

/** Returns one entry per kind; kinds without jobs are missing. */
export async function listBacklog(db: Queryable): Promise<Backlog[]> {
  const due = 'lease_until is null and (ready or run_at <= now())';
  const { rows } = await db.query<Backlog>(
    `select kind,
       count(*) filter (where ${due}) as due,
       count(*) filter (where lease_until is null and not (ready or run_at <= now()))
         as scheduled,
       count(*) filter (where lease_until is not null) as running,
       extract(epoch from now() - min(run_at) filter (where ${due}))::float8 as "oldestDueSeconds"
     from jobs group by kind order by kind`,
  );
  return rows;
}

/** Each pending delivery has one job. */
export async function countPendingWebhooks(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ webhooks: number }>(
    `select count(*) as webhooks from jobs where kind = 'notify'`,
  );
  return rows[0]!.webhooks;
}

/** Whether an account has any job. Reads the whole table if it has none. */
export async function hasJobs(db: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await db.query('select from jobs where account_id = $1 limit 1', [
    accountId,
  ]);
  return rowCount > 0;
}

/** When the next attempt of each delivery is due; deliveries without one are missing. */
export async function findNextAttemptTimes(
  db: Queryable,
  deliveryIds: readonly string[],
): Promise<Map<string, Date>> {
  const { rows } = await db.query<{ id: string; at: Date }>(
    `select delivery_id as id, run_at as at from jobs
     where kind = 'notify' and delivery_id = any($1::text[])`,
    [deliveryIds],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}
