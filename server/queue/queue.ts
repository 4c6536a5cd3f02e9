/**
 * Due work as rows with leases: enqueue, claim, renew, finish, retry. A claim takes one job of each
 * account before it takes a second of any, so that no account starves the others.
 */
import type { Queryable, Transaction } from '../database/database.ts';
import { sanitizeText } from '../database/sanitize-text.ts';
import {
  isolateAfterCrashes,
  type Job,
  type JobKind,
  LeaseLost,
  type NewJob,
  type QueueName,
  queueOf,
} from './job.ts';

/** A dead worker's jobs are free again after this long; a live one renews every third of it. */
export const leaseSeconds = 15;
/** How many scheduled jobs become ready with one claim. */
const promotedMax = 1000;
/** Upstreams can be wordy; the operator needs the start of it. */
const errorLengthMax = 2000;
/** Wakes idle workers of every process, when the transaction that says it commits. */
export const jobsChannel = 'vidgen_work';

const columns = `id, kind, account_id as "accountId", task_id as "taskId",
  delivery_id as "deliveryId", fence, attempts, deaths as "crashCount"`;

/** Which of its account's 64 queues a call waits in: from 1, by the host and port it goes to. */
export const receiverBucketSql = (url: string): string =>
  `(hashtext(lower(substring(${url} from '^[^/]*//([^/?#]*)'))) & 63) + 1`;

export async function enqueue(tx: Transaction, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map((job) => ({
    ...job,
    lane: queueOf[job.kind],
    delay: job.delaySeconds ?? 0,
  }));
  await tx.query(
    `insert into jobs (kind, lane, account_id, task_id, delivery_id, run_at, ready, receiver)
     select kind, lane, "accountId", "taskId", "deliveryId",
       now() + make_interval(secs => delay), delay <= 0,
       coalesce(
         (select ${receiverBucketSql('d.url')} from deliveries d where d.id = "deliveryId"), 0)
     from jsonb_to_recordset($1::jsonb) as j(kind text, lane text, "accountId" uuid, "taskId" text,
       "deliveryId" text, delay float8)`,
    [JSON.stringify(rows)],
  );
  if (rows.some(({ delay }) => delay <= 0)) await notifyWorkers(tx);
}

/** Heard by every process once the transaction has committed. */
export async function notifyWorkers(tx: Queryable): Promise<void> {
  await tx.query(`select pg_notify('${jobsChannel}', '')`);
}

export type ClaimOptions = {
  readonly owner: string;
  readonly queue: QueueName;
  readonly jobsMax: number;
  /** Leased at once for one account in this lane, over all workers. */
  readonly perAccountMax: number;
  /** Of these, for one receiver. */
  readonly perReceiverMax: number;
  /**
   * Whether one suspect may be among them: a worker runs one at a time. Whatever is leased when a
   * worker dies has one death more, so beside the culprit the innocent would come to its end.
   */
  readonly includeIsolated: boolean;
};

/** Scheduled jobs whose time has come become ready, so that claiming looks at ready rows only. */
export async function promoteDue(db: Queryable): Promise<void> {
  await db.query(
    `update jobs set ready = true where id in (
       select id from jobs where not ready and lease_until is null and run_at <= now()
       order by run_at limit $1 for update skip locked)`,
    [promotedMax],
  );
}

/**
 * Of each receiver as many rows are read as could be taken in all: a limit that differs from one to
 * another is one that the planner cannot know, and it prepares for a tenth of the table. Whatever
 * calls nobody counts as one receiver.
 */
export async function claim(db: Queryable, request: ClaimOptions): Promise<Job[]> {
  const { queue, owner, jobsMax, perAccountMax, perReceiverMax, includeIsolated } = request;
  const { rows } = await db.query<Job>(claimSql, [
    queue,
    owner,
    jobsMax,
    perAccountMax,
    leaseSeconds,
    includeIsolated,
    perReceiverMax,
    Math.min(jobsMax, perReceiverMax),
  ]);
  return rows;
}

const isClaimable = 'lane = $1 and ready and lease_until is null';
const claimSql = `with recursive waiting as (
    (select account_id, receiver from jobs where ${isClaimable}
     order by account_id, receiver limit 1)
    union all
    select next.account_id, next.receiver from waiting w cross join lateral (
      select account_id, receiver from jobs
      where ${isClaimable} and (account_id, receiver) > (w.account_id, w.receiver)
      order by account_id, receiver limit 1) next
  ), ranked as (
    select j.id, j.run_at, busy.of_account,
      row_number() over (partition by w.account_id order by j.rank, j.run_at, j.id) as rank
    from waiting w
    cross join lateral (
      select count(*) as of_account, count(*) filter (where l.receiver = w.receiver) as of_receiver
      from jobs l
      where l.lane = $1 and l.account_id = w.account_id and l.lease_until is not null
    ) busy
    cross join lateral (
      select id, run_at, row_number() over (order by run_at, id) as rank
      from (select id, run_at from jobs
            where ${isClaimable} and account_id = w.account_id and receiver = w.receiver
              and deaths < ${isolateAfterCrashes}
            order by run_at, id limit $8) oldest
    ) j
    where busy.of_account < $4 and j.rank <= $7 - busy.of_receiver
  ), candidates as (
    select id, rank, run_at from ranked where rank <= $4 - of_account
    order by rank, run_at limit $3
  ), isolated as (
    select id, 0 as rank, run_at from jobs
    where $6 and ${isClaimable} and deaths >= ${isolateAfterCrashes}
    order by run_at limit 1
  ), locked as (
    select j.id from jobs j
    join (select * from isolated union all select * from candidates) c on c.id = j.id
    where j.ready and j.lease_until is null
    order by c.rank, c.run_at limit $3
    for update of j skip locked
  )
  update jobs set lease_owner = $2, lease_until = now() + make_interval(secs => $5),
    fence = fence + 1
  where id in (select id from locked)
  returning ${columns}`;

/**
 * Whoever changes many jobs at once locks them in the order of their ids first: two who hold some
 * and wait for others would never end. The fence is looked at again once the lock is there.
 */
const leasedJobs = `leased as (
  select j.id, j.fence from jobs j
  join jsonb_to_recordset($1::jsonb) as h(id bigint, fence bigint)
    on j.id = h.id and j.fence = h.fence
  order by j.id for update of j)`;

const fencesOf = (jobs: readonly Job[]): string =>
  JSON.stringify(jobs.map(({ id, fence }) => ({ id, fence })));

const idsOf = (rows: readonly { readonly id: number }[]): Set<number> =>
  new Set(rows.map(({ id }) => id));

/** Answers the ids still held; a missing one is another worker's, and its stage must stop. */
export async function renew(db: Queryable, jobs: readonly Job[]): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    `with ${leasedJobs}
     update jobs j set lease_until = now() + make_interval(secs => $2)
     from leased h where j.id = h.id and j.fence = h.fence and j.lease_until is not null
     returning j.id`,
    [fencesOf(jobs), leaseSeconds],
  );
  return idsOf(rows);
}

/** Removes the job in the transaction that writes its outcome; throws when the lease was lost. */
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
  /** A retry counts an attempt; the next step of a task starts counting anew. */
  readonly retry: boolean;
  readonly error?: string;
};

/** The same row goes on as the task's next piece of work, fenced like everything else. */
export async function reschedule(tx: Queryable, job: Job, next: NextRun): Promise<void> {
  const leased = await rescheduleAll(tx, [{ job, next }]);
  if (!leased.has(job.id)) throw new LeaseLost(job);
}

export type Rescheduling = { readonly job: Job; readonly next: NextRun };

/** Answers the ids of those that were still held and go on; the others are untouched. */
export async function rescheduleAll(
  tx: Queryable,
  reschedulings: readonly Rescheduling[],
): Promise<Set<number>> {
  const { rows } = await tx.query<{ id: number }>(
    `with ${leasedJobs}
     update jobs j set kind = n.kind, lane = n.lane,
       run_at = now() + make_interval(secs => n.delay), ready = n.delay <= 0,
       lease_owner = null, lease_until = null, deaths = 0, last_error = n.error,
       attempts = case when n.retry then j.attempts + 1 else 0 end
     from leased h join jsonb_to_recordset($1::jsonb) as n(id bigint, fence bigint, kind text,
       lane text, delay float8, retry boolean, error text) on n.id = h.id and n.fence = h.fence
     where j.id = h.id and j.fence = h.fence
     returning j.id`,
    [
      JSON.stringify(
        reschedulings.map(({ job: { id, fence }, next: { kind, delaySeconds, retry, error } }) => ({
          id,
          fence,
          kind,
          lane: queueOf[kind],
          delay: delaySeconds,
          retry,
          error: error && sanitizeText(error, { lengthMax: errorLengthMax }),
        })),
      ),
    ],
  );
  if (reschedulings.some(({ next }) => next.delaySeconds <= 0)) await notifyWorkers(tx);
  return idsOf(rows);
}

/** Brings a waiting job forward, as when a provider's callback says that something changed. */
export async function runNow(db: Queryable, taskId: string): Promise<void> {
  const { rowCount } = await db.query(
    `update jobs set run_at = now(), ready = true
     where task_id = $1 and kind in ('submit', 'poll') and lease_until is null and not ready`,
    [taskId],
  );
  if (rowCount > 0) await notifyWorkers(db);
}

/** A draining worker gives back what it has not begun, at once and without a death. */
export async function release(db: Queryable, jobs: readonly Job[]): Promise<void> {
  await db.query(
    `with ${leasedJobs}
     update jobs j set lease_owner = null, lease_until = null, ready = true
     from leased h where j.id = h.id and j.fence = h.fence`,
    [fencesOf(jobs)],
  );
  await notifyWorkers(db);
}

/**
 * The same for whatever else is leased to this owner: it knows what it works on, and the rest it
 * was never told of.
 */
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

export type JobCount = { readonly kind: JobKind; readonly state: string; readonly jobs: number };

export async function countJobs(db: Queryable): Promise<JobCount[]> {
  const { rows } = await db.query<JobCount>(
    `select kind, case when lease_until is not null then 'running' when ready then 'ready'
       else 'scheduled' end as state, count(*) as jobs
     from jobs group by 1, 2`,
  );
  return rows;
}

/**
 * Proves inside a transaction that the job is still ours, and keeps it so for a lease from now on:
 * one that had run out unnoticed would be another's the moment after the commit.
 */
export async function requireLease(tx: Transaction, job: Job): Promise<void> {
  const { rowCount } = await tx.query(
    `update jobs set lease_until = now() + make_interval(secs => $3)
     where id = $1 and fence = $2 and lease_until is not null`,
    [job.id, job.fence, leaseSeconds],
  );
  if (rowCount !== 1) throw new LeaseLost(job);
}

/** Leased jobs, and the generation jobs of tasks whichever worker leases them. */
export type EndingJobs = { readonly jobs: readonly Job[]; readonly taskIds: readonly string[] };

/** Locks the jobs in order of ID. Returns the IDs of those `jobs` that are still leased. */
export async function lockJobs(
  tx: Transaction,
  { jobs, taskIds }: EndingJobs,
): Promise<Set<number>> {
  const { rows } = await tx.query<{ id: number; isLeased: boolean }>(
    `with wanted as (
       select id, fence from jsonb_to_recordset($1::jsonb) as h(id bigint, fence bigint)
       union all
       select id, null from jobs where task_id = any($2::text[]) and kind in ('submit', 'poll'))
     select j.id, w.fence is not null as "isLeased" from jobs j
     join wanted w on j.id = w.id and (w.fence is null or j.fence = w.fence)
     order by j.id for update of j`,
    [fencesOf(jobs), taskIds],
  );
  return idsOf(rows.filter(({ isLeased }) => isLeased));
}

/** Deletes jobs that this transaction has locked with `lockJobs`. */
export async function deleteJobs(tx: Transaction, { jobs, taskIds }: EndingJobs): Promise<void> {
  await tx.query('delete from jobs where id = any($1::bigint[])', [jobs.map(({ id }) => id)]);
  if (taskIds.length === 0) return;
  await tx.query(
    `delete from jobs where task_id = any($1::text[]) and kind in ('submit', 'poll')`,
    [taskIds],
  );
}

/** A replay begins anew: a retry that is still due, or under way, is void. */
export async function deleteDeliveryJob(tx: Transaction, deliveryId: string): Promise<void> {
  await tx.query(`delete from jobs where kind = 'notify' and delivery_id = $1`, [deliveryId]);
}

/** When the next call of each delivery is due; those without one are missing. */
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
