/**
 * Jobs that wait for capacity at a provider. A sweep wakes them when there is some, so they are not
 * polled, and a long queue costs no more than a short one.
 */
import type { PreparedStatement, Queryable } from '../database/database.ts';
import { lastAccountId, namedParameters } from './claim.ts';
import { notifyWorkers } from './enqueue.ts';
import type { Job } from './job.ts';
import { fencesOf, leasedJobs } from './outcome.ts';

/**
 * The condition of the index `jobs_for_capacity`, and of no other: without statistics of waiting
 * jobs, PostgreSQL would read all of another index. Workers of an older version leave `waits_for`
 * on jobs that they reschedule as polls.
 */
const isWaiting = `kind <> 'poll' and waits_for is not null and ready is not true
  and lease_until is null`;

export type Wait = {
  readonly job: Job;
  /** The caller's names of what they wait for, any one of them; without a comma. */
  readonly capacityKeys: readonly string[];
  readonly secondsMax: number;
};

/**
 * Gives leased jobs back until they are woken, or for `secondsMax`. Returns the IDs of those; jobs
 * whose lease was lost are not changed.
 */
export async function waitForCapacity(db: Queryable, waits: readonly Wait[]): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(waitStatement, [
    ...fencesOf(waits.map(({ job }) => job)),
    waits.map(({ capacityKeys }) => capacityKeys.toSorted().join()),
    waits.map(({ secondsMax }) => secondsMax),
  ]);
  return new Set(rows.map(({ id }) => id));
}

const waitStatement: PreparedStatement = {
  name: 'wait_for_capacity',
  text: `with ${leasedJobs}
         update jobs j set waits_for = string_to_array(w.keys, ','),
           run_at = now() + make_interval(secs => w.seconds), ready = false,
           lease_owner = null, lease_until = null, crash_count = 0, attempts = 0
         from leased h join unnest($1::bigint[], $2::bigint[], $3::text[], $4::float8[])
           as w(id, fence, keys, seconds) on w.id = h.id and w.fence = h.fence
         where j.id = h.id and j.fence = h.fence
         returning j.id`,
};

/** Returns each set of keys that a job waits for. */
export async function listCapacityWaits(db: Queryable): Promise<(readonly string[])[]> {
  const { rows } = await db.query<{ names: readonly string[] }>(listStatement);
  return rows.map(({ names }) => names);
}

/** Skips from one set to the next, however many jobs wait for it. */
const listStatement: PreparedStatement = {
  name: 'list_capacity_waits',
  text: `with recursive sets as (
           (select waits_for from jobs where ${isWaiting} order by waits_for limit 1)
           union all
           select next.waits_for from sets s cross join lateral (
             select waits_for from jobs where ${isWaiting} and waits_for > s.waits_for
             order by waits_for limit 1) next)
         select waits_for as names from sets`,
};

export type Wake = {
  /** As `listCapacityWaits` returns it. */
  readonly capacityKeys: readonly string[];
  readonly jobsMax: number;
  /** The account to go on after. */
  readonly afterAccountId: string;
};

/**
 * Makes the oldest tasks' jobs due, one of each account before a second of any. Returns their IDs,
 * and the account to go on after.
 */
export async function wake(
  db: Queryable,
  options: Wake,
): Promise<{ readonly woken: readonly number[]; readonly lastAccountId: string }> {
  const { rows } = await db.query<{ id: number; accountId: string }>(
    { name: 'wake_jobs', text: wakeStatement.text },
    wakeStatement.bind(options),
  );
  if (rows.length > 0) await notifyWorkers(db);
  const woken = rows.map(({ id }) => id);
  return { woken, lastAccountId: lastAccountId(rows, options.afterAccountId) };
}

const waitsForThese = `waits_for = $capacityKeys::text[] and ${isWaiting}`;

const wakeStatement = namedParameters<Wake>(`with recursive owners as (
    -- Accounts, found by skipping from one to the next: those after the last
    -- one, then from the first on.
    select 0 as step, $afterAccountId::uuid as account_id,
      'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid as last_id
    union all
    select o.step + 1, next.* from owners o cross join lateral (
      (select account_id, o.last_id from jobs
       where ${waitsForThese} and account_id > o.account_id and account_id <= o.last_id
       order by account_id limit 1)
      union all
      (select account_id, $afterAccountId from jobs
       where ${waitsForThese} and account_id <= $afterAccountId and o.last_id > $afterAccountId
       order by account_id limit 1)
      limit 1) next
    where o.step < $jobsMax
  ), chosen as (
    -- Task IDs are in the index of waiting jobs. With \`id\`, PostgreSQL may read all open tasks.
    select oldest.task_id from owners o cross join lateral (
      select task_id, row_number() over (order by task_id) as rank
      from (select task_id from jobs
            where ${waitsForThese} and account_id = o.account_id
            order by task_id limit $jobsMax) first) oldest
    where o.step > 0
    order by oldest.rank, o.step limit $jobsMax
  ), locked as (
    -- By the index of open tasks: that of waiting jobs begins with the account.
    select id from jobs
    where kind in ('submit', 'poll') and task_id = any(array(select task_id from chosen))
      and waits_for = $capacityKeys::text[] and ready is not true and lease_until is null
    for update skip locked
  )
  update jobs set ready = true, run_at = now() where id = any(array(select id from locked))
  returning id, account_id as "accountId"`);

/** Makes all of them due: what they wait for may have changed. */
export async function wakeAll(db: Queryable): Promise<void> {
  const { rowCount } = await db.query(
    `update jobs set run_at = now() where id in (
       select id from jobs where ${isWaiting} order by id for update)`,
  );
  if (rowCount > 0) await notifyWorkers(db);
}
