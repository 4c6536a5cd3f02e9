/**
 * What a worker writes for jobs it has claimed: renewed leases, and outcomes. Every write requires
 * the job's fence, so a worker that lost its lease changes nothing.
 */
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';
import { sanitizeText } from '../database/sanitize-text.ts';
import { notifyWorkers, notifyWorkersSql } from './enqueue.ts';
import { type Job, type JobKind, LeaseLost, leaseSeconds, queueOf } from './job.ts';

/** Longer error texts of upstreams are cut. */
const errorLengthMax = 2000;

/**
 * Locks jobs in the order of their IDs before they are changed: two statements that lock the same
 * jobs in different orders can deadlock. The fence is compared again once the lock is granted. The
 * condition on the IDs alone makes PostgreSQL look them up instead of reading the whole table.
 */
export const leasedJobs = `leased as (
  select j.id, j.fence, j.lease_until from jobs j
  join unnest($1::bigint[], $2::bigint[]) as h(id, fence) on j.id = h.id and j.fence = h.fence
  where j.id = any($1::bigint[])
  order by j.id for update of j)`;

/** The first two parameters of statements with `leasedJobs`. */
export const fencesOf = (jobs: readonly Job[]): [ids: number[], fences: number[]] => [
  jobs.map(({ id }) => id),
  jobs.map(({ fence }) => fence),
];

const idsOf = (rows: readonly { readonly id: number }[]): Set<number> =>
  new Set(rows.map(({ id }) => id));

/**
 * Extends the leases of `jobs` and returns the IDs still leased to this worker. Abort the stage of
 * any job that is missing: another worker has claimed it.
 */
export async function renew(db: Queryable, jobs: readonly Job[]): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(renewStatement, [
    ...fencesOf(jobs),
    leaseSeconds,
  ]);
  return idsOf(rows);
}

/**
 * The lease that the lock has read: a condition on that of `j` would make PostgreSQL compare every
 * leased job with each of these.
 */
const renewStatement: PreparedStatement = {
  name: 'renew_jobs',
  text: `with ${leasedJobs}
         update jobs j set lease_until = now() + make_interval(secs => $3)
         from leased h where j.id = h.id and j.fence = h.fence and h.lease_until is not null
         returning j.id`,
};

/** Longer than an intent may wait for its provider call; see `submit.ts`. */
const heldSeconds = leaseSeconds - 2;

/**
 * As `renew` inside a transaction, but extends only leases with less than `heldSeconds` left: most
 * jobs have just been claimed, and an extension writes the row and its indexes again.
 */
export async function holdLeases(tx: Transaction, jobs: readonly Job[]): Promise<Set<number>> {
  const { rows } = await tx.query<{ id: number }>(holdStatement, [
    ...fencesOf(jobs),
    leaseSeconds,
    heldSeconds,
  ]);
  return idsOf(rows);
}

const holdStatement: PreparedStatement = {
  name: 'hold_leases',
  text: `with ${leasedJobs}, renewed as (
           update jobs j set lease_until = now() + make_interval(secs => $3)
           from leased h where j.id = h.id and h.lease_until < now() + make_interval(secs => $4))
         select id from leased where lease_until is not null`,
};

/**
 * Requires inside a transaction that the job is still leased to this worker, and extends the lease,
 * which might otherwise end right after the commit. Throws `LeaseLost`.
 */
export async function requireLease(tx: Transaction, job: Job): Promise<void> {
  const { rowCount } = await tx.query(
    `update jobs set lease_until = now() + make_interval(secs => $3)
     where id = $1 and fence = $2 and lease_until is not null`,
    [job.id, job.fence, leaseSeconds],
  );
  if (rowCount !== 1) throw new LeaseLost(job);
}

/**
 * Deletes the job in the transaction that writes its outcome. Throws `LeaseLost` if another worker
 * has claimed it or it was deleted.
 */
export async function finish(tx: Transaction, job: Job): Promise<void> {
  const { rowCount } = await tx.query('delete from jobs where id = $1 and fence = $2', [
    job.id,
    job.fence,
  ]);
  if (rowCount !== 1) throw new LeaseLost(job);
}

export type NextRun = {
  readonly kind: JobKind;
  readonly delaySeconds: number;
  /** A retry counts an attempt; the next step of a task resets the count. */
  readonly retry: boolean;
  readonly error?: string;
};

/**
 * Reschedules a leased job in place, as the task's next job. Throws `LeaseLost` if another worker
 * has claimed it or it was deleted.
 */
export async function reschedule(tx: Queryable, job: Job, next: NextRun): Promise<void> {
  const leased = await rescheduleAll(tx, [{ job, next }]);
  if (!leased.has(job.id)) throw new LeaseLost(job);
}

export type Rescheduling = { readonly job: Job; readonly next: NextRun };

/** Returns the IDs of the rescheduled jobs; those whose lease was lost are not changed. */
export async function rescheduleAll(
  tx: Queryable,
  reschedulings: readonly Rescheduling[],
): Promise<Set<number>> {
  const nextRuns = reschedulings.map(({ next }) => next);
  const { rows } = await tx.query<{ id: number }>(rescheduleStatement, [
    ...fencesOf(reschedulings.map(({ job }) => job)),
    nextRuns.map(({ kind }) => kind),
    nextRuns.map(({ kind }) => queueOf[kind]),
    nextRuns.map(({ delaySeconds }) => delaySeconds),
    nextRuns.map(({ retry }) => retry),
    nextRuns.map(({ error }) => error && sanitizeText(error, { lengthMax: errorLengthMax })),
  ]);
  return idsOf(rows);
}

const rescheduleStatement: PreparedStatement = {
  name: 'reschedule_jobs',
  text: `with ${leasedJobs}, rescheduled as (
           update jobs j set kind = n.kind, queue = n.queue,
             run_at = now() + make_interval(secs => n.delay), ready = n.delay <= 0,
             lease_owner = null, lease_until = null, crash_count = 0, last_error = n.error,
             waits_for = null,
             attempts = case when n.retry then j.attempts + 1 else 0 end
           from leased h join unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[],
               $5::float8[], $6::boolean[], $7::text[])
             as n(id, fence, kind, queue, delay, retry, error)
             on n.id = h.id and n.fence = h.fence
           where j.id = h.id and j.fence = h.fence
           returning j.id, j.ready)
         select id, ${notifyWorkersSql('rescheduled')} from rescheduled`,
};

/** Gives back jobs of a worker that is stopping: claimable at once, without counting a crash. */
export async function release(db: Queryable, jobs: readonly Job[]): Promise<void> {
  await db.query(
    `with ${leasedJobs}
     update jobs j set lease_owner = null, lease_until = null, ready = true
     from leased h where j.id = h.id and j.fence = h.fence`,
    fencesOf(jobs),
  );
  await notifyWorkers(db);
}

/** Gives back all other jobs leased to this owner: leases that the worker does not know of. */
export async function releaseAllExcept(
  db: Queryable,
  jobIds: readonly number[],
  { owner }: { owner: string },
): Promise<void> {
  const { rowCount } = await db.query(
    `update jobs set lease_owner = null, lease_until = null, ready = true
     where id in (select id from jobs
       where lease_until is not null and lease_owner = $1 and id <> all($2::bigint[])
       order by id for update)`,
    [owner, jobIds],
  );
  if (rowCount > 0) await notifyWorkers(db);
}

/** Leased jobs, and the generation jobs of tasks whichever worker leases them. */
export type EndingJobs = { readonly jobs: readonly Job[]; readonly taskIds: readonly string[] };

/** Locks the jobs in order of ID. Returns the IDs of those `jobs` that are still leased. */
export async function lockJobs(
  tx: Transaction,
  { jobs, taskIds }: EndingJobs,
): Promise<Set<number>> {
  const { rows } = await tx.query<{ id: number; isLeased: boolean }>(lockJobsStatement, [
    ...fencesOf(jobs),
    taskIds,
  ]);
  return idsOf(rows.filter(({ isLeased }) => isLeased));
}

const lockJobsStatement: PreparedStatement = {
  name: 'lock_jobs',
  text: `with wanted as (
           select id, fence from unnest($1::bigint[], $2::bigint[]) as h(id, fence)
           union all
           select id, null from jobs where task_id = any($3::text[]) and kind in ('submit', 'poll'))
         select j.id, w.fence is not null as "isLeased" from jobs j
         join wanted w on j.id = w.id and (w.fence is null or j.fence = w.fence)
         where j.id = any(array(select id from wanted))
         order by j.id for update of j`,
};

/**
 * Locks the jobs in order of ID and deletes those of `finished`. Returns the IDs of those that are
 * still leased.
 */
export async function finishJobs(
  tx: Transaction,
  { finished, others }: Readonly<Record<'finished' | 'others', readonly Job[]>>,
): Promise<Set<number>> {
  const { rows } = await tx.query<{ id: number }>(finishJobsStatement, [
    ...fencesOf([...finished, ...others]),
    finished.map(({ id }) => id),
  ]);
  return idsOf(rows);
}

/** The array makes PostgreSQL look all of them up at once, not search `$3` again for each job. */
const finishJobsStatement: PreparedStatement = {
  name: 'finish_jobs',
  text: `with ${leasedJobs}, deleted as (
           delete from jobs
           where id = any(array(select id from leased where id = any($3::bigint[]))))
         select id from leased`,
};

/** Deletes jobs that this transaction has locked with `lockJobs`. */
export async function deleteJobs(tx: Transaction, { jobs, taskIds }: EndingJobs): Promise<void> {
  await tx.query(deleteJobsStatement, [jobs.map(({ id }) => id)]);
  if (taskIds.length === 0) return;
  await tx.query(
    `delete from jobs where task_id = any($1::text[]) and kind in ('submit', 'poll')`,
    [taskIds],
  );
}

const deleteJobsStatement: PreparedStatement = {
  name: 'delete_jobs',
  text: 'delete from jobs where id = any($1::bigint[])',
};
