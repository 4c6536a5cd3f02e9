/**
 * Claims due jobs for a worker, with a lease. A claim takes one job of each account before a second
 * of any, so that no account starves the others, and no receiver its account's other webhooks.
 */
import assert from 'node:assert/strict';
import type { PreparedStatement, Queryable } from '../database/database.ts';
import { isolateAfterCrashes, type Job, leaseSeconds, type QueueName, queueNames } from './job.ts';

/** How many scheduled jobs become ready with one claim. */
const promotedMax = 1000;

export type ClaimOptions = {
  readonly owner: string;
  readonly queue: QueueName;
  readonly jobsMax: number;
  /** The account to go on after, where more accounts wait than jobs are claimed. */
  readonly afterAccountId?: string;
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
           returning queue)
         select queue from promoted
         union
         select queue from unnest($2::text[]) as queues (queue) where exists (
           select from jobs j where j.queue = queues.queue and j.ready and j.lease_until is null)`,
};

export async function claim(db: Queryable, options: ClaimOptions): Promise<Job[]> {
  const { rows } = await db.query<Job>(
    { name: 'claim_jobs', text: claimStatement.text },
    claimStatement.bind({
      afterAccountId: firstAccountId,
      ...options,
      leaseSeconds,
      readPerReceiverMax: Math.min(options.jobsMax, options.perReceiverMax),
    }),
  );
  return rows;
}

/** Where the next claim goes on: after the last account that this one has reached. */
export function lastAccountId(
  jobs: readonly Pick<Job, 'accountId'>[],
  afterAccountId: string,
): string {
  const ids = jobs.map(({ accountId }) => accountId).sort();
  return ids.findLast((id) => id <= afterAccountId) ?? ids.at(-1) ?? afterAccountId;
}

/** Before all others. */
export const firstAccountId = '00000000-0000-0000-0000-000000000000';

const isClaimable = 'queue = $queue and ready and lease_until is null';

/**
 * Reads no more accounts than it needs, however many wait. A limit that differs from row to row
 * cannot be estimated by the planner, which would plan for a tenth of the table, so each receiver
 * is read up to the same number of rows. Jobs that are no webhooks all have receiver bucket 0.
 */
const claimStatement = namedParameters<
  Required<ClaimOptions> & { readonly leaseSeconds: number; readonly readPerReceiverMax: number }
>(`with recursive waiting as (
    -- Accounts with a ready job, found by skipping from one to the next: those after the account
    -- of the last claim, then from the first on.
    select 0 as step, $afterAccountId::uuid as account_id, 0::smallint as first_receiver,
      'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid as last_id
    union all
    select w.step + 1, next.* from waiting w cross join lateral (
      (select account_id, receiver, w.last_id from jobs
       where ${isClaimable} and account_id > w.account_id and account_id <= w.last_id
       order by account_id, receiver limit 1)
      union all
      (select account_id, receiver, $afterAccountId from jobs
       where ${isClaimable} and account_id <= $afterAccountId and w.last_id > $afterAccountId
       order by account_id, receiver limit 1)
      limit 1) next
  ), found as materialized (
    -- The oldest jobs of each account within its limits: one of each receiver before a second.
    select w.step, oldest.ids[1:$perAccountMax - busy.leases] as ids
    from waiting w
    cross join lateral (
      select count(*)::integer as leases, array_agg(receiver) as receivers from jobs
      where queue = $queue and account_id = w.account_id and lease_until is not null
    ) busy
    cross join lateral (
      with recursive receivers as (
        select w.first_receiver as receiver
        union all
        select next.receiver from receivers r cross join lateral (
          select receiver from jobs
          where ${isClaimable} and account_id = w.account_id and receiver > r.receiver
          order by receiver limit 1) next
      )
      select array_agg(j.id order by j.rank, j.run_at, j.id) as ids
      from receivers r
      cross join lateral (
        select id, run_at, row_number() over (order by run_at, id) as rank
        from (select id, run_at from jobs
              where ${isClaimable} and account_id = w.account_id and receiver = r.receiver
                and crash_count < ${isolateAfterCrashes}
              order by run_at, id limit $readPerReceiverMax) oldest
      ) j
      where j.rank <= $perReceiverMax
        - coalesce(cardinality(array_positions(busy.receivers, r.receiver)), 0)
    ) oldest
    where w.step > 0 and busy.leases < $perAccountMax and oldest.ids is not null
    limit $jobsMax
  ), isolated as materialized (
    -- The oldest job that repeatedly crashed its worker; it comes first.
    select id from jobs
    where $includeIsolated and ${isClaimable} and crash_count >= ${isolateAfterCrashes}
    order by run_at limit 1
  ), chosen as (
    -- One job of each account before a second of any.
    select id, 0 as rank, 0 as step from isolated
    union all
    select one.id, one.rank, found.step
    from found cross join unnest(found.ids) with ordinality as one (id, rank)
    order by rank, step limit $jobsMax
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
    delivery_id as "deliveryId", fence, attempts, crash_count as "crashCount",
    waits_for is not null as "wasWaiting"`);

/**
 * Writes SQL with named parameters: `$owner` instead of `$2`. Names are replaced by positions once,
 * so the text of the statement stays constant; values are always bound, never interpolated.
 */
export function namedParameters<Values extends Readonly<Record<string, unknown>>>(
  sql: string,
): { readonly text: string; bind(values: Values): unknown[] } {
  const names: string[] = [];
  const text = sql.replace(/\$([a-zA-Z]+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return {
    text,
    bind: (values) =>
      names.map((name) => {
        assert(name in values, `the statement has no value for $${name}`);
        return values[name];
      }),
  };
}
