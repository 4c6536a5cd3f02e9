/**
 * Puts work into the queue and wakes idle workers. Everything here joins the caller's transaction:
 * the work becomes claimable, and workers are notified, when it commits.
 */
import type { PreparedStatement, Queryable, Transaction } from '../database/database.ts';
import { type NewJob, queueOf } from './job.ts';

/** Idle workers of every process listen on it. */
export const jobsChannel = 'vidgen_work';

export async function notifyWorkers(tx: Queryable): Promise<void> {
  await tx.query(`select pg_notify('${jobsChannel}', '')`);
}

/** The same once for all of these rows, in the statement that changes them. */
export const notifyWorkersSql = (rows: string): string =>
  `(select pg_notify('${jobsChannel}', '') from ${rows} where ready limit 1)`;

/** Which of its account's 64 receiver buckets a webhook waits in: from 1, by host and port. */
export const receiverBucketSql = (url: string): string =>
  `(hashtext(lower(substring(${url} from '^[^/]*//([^/?#]*)'))) & 63) + 1`;

export async function enqueue(tx: Transaction, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map((job) => ({
    ...job,
    queue: queueOf[job.kind],
    delay: job.delaySeconds ?? 0,
  }));
  await tx.query(insertJobs, [JSON.stringify(rows)]);
}

const insertJobs: PreparedStatement = {
  name: 'insert_jobs',
  text: `with inserted as (
           insert into jobs (kind, queue, account_id, task_id, delivery_id, run_at, ready, receiver)
           select kind, queue, "accountId", "taskId", "deliveryId",
             now() + make_interval(secs => delay), delay <= 0,
             coalesce(${receiverBucketSql('"receiverUrl"')}, 0)
           from jsonb_to_recordset($1::jsonb) as j(kind text, queue text, "accountId" uuid,
             "taskId" text, "deliveryId" text, "receiverUrl" text, delay float8)
           returning ready)
         select ${notifyWorkersSql('inserted')}`,
};

/** Makes a task's scheduled job due now, for example after a provider callback. */
export async function runNow(db: Queryable, taskId: string): Promise<void> {
  const { rowCount } = await db.query(
    `update jobs set run_at = now(), ready = true
     where task_id = $1 and kind in ('submit', 'poll') and lease_until is null and not ready`,
    [taskId],
  );
  if (rowCount > 0) await notifyWorkers(db);
}

/** Deletes the jobs that final tasks and their deliveries have, whichever worker leases them. */
export async function deleteFollowUpJobs(
  tx: Transaction,
  { taskIds, deliveryIds }: Readonly<Record<'taskIds' | 'deliveryIds', readonly string[]>>,
): Promise<void> {
  await tx.query(
    `with ended as (
       select id from jobs
       where kind = 'expire' and task_id = any($1::text[])
         or kind = 'notify' and delivery_id = any($2::text[])
       order by id for update)
     delete from jobs j using ended e where j.id = e.id`,
    [taskIds, deliveryIds],
  );
}

/** Cancels the pending or running attempt of a delivery that is about to be replayed. */
export async function deleteDeliveryJob(tx: Transaction, deliveryId: string): Promise<void> {
  await tx.query(`delete from jobs where kind = 'notify' and delivery_id = $1`, [deliveryId]);
}
