/**
 * Claims due jobs for a worker, with a lease. A claim takes one job of each account before a second
 * of any, so that no account starves the others, and no receiver its account's other webhooks.
 */
import type { PreparedStatement, Queryable } from '../database/database.ts';
import { isolateAfterCrashes, type Job, leaseSeconds, type QueueName, queueNames } from './job.ts';
import { namedParameters } from './named-parameters.ts';

/** How many scheduled jobs become ready with one claim. */
const promotedMax = 1000;

export type ClaimOptions = {
  readonly owner: string;
  readonly queue: QueueName;
  readonly jobsMax: number;
  /** Leases of one account in this queue at once, over all workers. */
  readonly perAccountMax: number;
  /** Of these, leases for one receiver bucket. */
  readonly perReceiverMax: number;
  /**
   * Whether the claim may include one isolated job; a worker runs one at a time. When a worker
   * crashes, every job it leases counts a crash, also those that did not cause it.
   */
  readonly includeIsolated: boolean;
};

/**
 * Marks scheduled jobs whose time has come as ready, so that a claim reads ready rows only. Returns
 * the queues with ready jobs: a claim costs far more than this, also when it finds nothing.
 */
export async function promoteDue(db: Queryable): Promise<Set<QueueName>> {
  const { rows } = await db.query<{ queue: QueueName }>(promoteStatement, [
    promotedMax,
    queueNames,
  ]);
  return new Set(rows.map(({ queue }) => queue));
}

const promoteStatement: PreparedStatement = {
  name: 'promote_jobs',
  text: `with promoted as (
           update jobs set ready = true where id in (
             select id from jobs where not ready and lease_until is null and run_at <= now()
             order by run_at limit $1 for update skip locked)
           returning lane)
         select lane as queue from promoted
         union
         select lane from unnest($2::text[]) as lanes (lane) where exists (
           select from jobs j where j.lane = lanes.lane and j.ready and j.lease_until is null)`,
};

export async function claim(db: Queryable, options: ClaimOptions): Promise<Job[]> {
  const { rows } = await db.query<Job>(
    { name: 'claim_jobs', text: claimStatement.text },
    claimStatement.bind({
      ...options,
      leaseSeconds,
      readPerReceiverMax: Math.min(options.jobsMax, options.perReceiverMax),
    }),
  );
  return rows;
}

const isClaimable = 'lane = $queue and ready and lease_until is null';

/**
 * `ranked` reads the same number of rows for each receiver. The planner cannot estimate a limit
 * that differs from row to row, and would plan for a tenth of the table. Jobs that are no webhooks
 * all have receiver bucket 0.
 */
const claimStatement = namedParameters<
  ClaimOptions & { readonly leaseSeconds: number; readonly readPerReceiverMax: number }
>(`with recursive waiting as (
    -- Each account and receiver with a ready job, found by skipping from one to the next.
    (select account_id, receiver from jobs where ${isClaimable}
     order by account_id, receiver limit 1)
    union all
    select next.account_id, next.receiver from waiting w cross join lateral (
      select account_id, receiver from jobs
      where ${isClaimable} and (account_id, receiver) > (w.account_id, w.receiver)
      order by account_id, receiver limit 1) next
  ), ranked as (
    -- The oldest jobs of each receiver within its limit, ranked within their account.
    select j.id, j.run_at, busy.of_account,
      row_number() over (partition by w.account_id order by j.rank, j.run_at, j.id) as rank
    from waiting w
    cross join lateral (
      select count(*) as of_account, count(*) filter (where l.receiver = w.receiver) as of_receiver
      from jobs l
      where l.lane = $queue and l.account_id = w.account_id and l.lease_until is not null
    ) busy
    cross join lateral (
      select id, run_at, row_number() over (order by run_at, id) as rank
      from (select id, run_at from jobs
            where ${isClaimable} and account_id = w.account_id and receiver = w.receiver
              and deaths < ${isolateAfterCrashes}
            order by run_at, id limit $readPerReceiverMax) oldest
    ) j
    where busy.of_account < $perAccountMax and j.rank <= $perReceiverMax - busy.of_receiver
  ), candidates as materialized (
    -- One job of each account before a second of any, within the accounts' limits.
    select id, rank, run_at from ranked where rank <= $perAccountMax - of_account
    order by rank, run_at limit $jobsMax
  ), isolated as materialized (
    -- The oldest job that repeatedly crashed its worker; it comes first.
    select id, 0 as rank, run_at from jobs
    where $includeIsolated and ${isClaimable} and deaths >= ${isolateAfterCrashes}
    order by run_at limit 1
  ), chosen as (
    select * from isolated union all select * from candidates
    order by rank, run_at limit $jobsMax
  ), locked as (
    -- Jobs that another worker is claiming at the same time are skipped. A join with the IDs could
    -- be planned to search the array again for each of them.
    select id from jobs
    where id = any(array(select id from chosen)) and ready and lease_until is null
    for update skip locked
  )
  update jobs set lease_owner = $owner, lease_until = now() + make_interval(secs => $leaseSeconds),
    fence = fence + 1
  where id = any(array(select id from locked))
  returning id, kind, account_id as "accountId", task_id as "taskId",
    delivery_id as "deliveryId", fence, attempts, deaths as "crashCount"`);
