/**
 * What every poll does, done for many at once: polls that read, wait or end while others do share
 * their statements and commits (`database/batcher.ts`). Nothing waits for company, and each poll
 * hears of its own outcome only.
 */
import { Batcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import { LeaseLost } from '../queue/job.ts';
import { type Rescheduling, rescheduleAll } from '../queue/queue.ts';
import { findOpenAttempts } from '../tasks/attempts.ts';
import { findTasks } from '../tasks/store.ts';
import type { BatchedPollOps, LifecycleDeps, PolledTask } from './context.ts';
import { createBatchSettler } from './settle-batch.ts';

const batchItemsMax = 500;

export function createBatchedPollOps(deps: LifecycleDeps): BatchedPollOps {
  const { db } = deps;
  const limits = { itemsMax: batchItemsMax, inFlightMax: db.engine === 'embedded' ? 1 : 2 };
  const finder = new Batcher<string, PolledTask>({
    run: (ids) => findPolledTasks(db, ids),
    ...limits,
  });
  const rescheduler = new Batcher<Rescheduling, boolean>({
    run: (reschedulings) => rescheduleBatch(db, reschedulings),
    ...limits,
  });
  return {
    find: (taskId) => finder.add(taskId),
    async reschedule(job, next) {
      if (!(await rescheduler.add({ job, next }))) throw new LeaseLost(job);
    },
    ...createBatchSettler(deps),
  };
}

async function findPolledTasks(db: Database, ids: readonly string[]): Promise<PolledTask[]> {
  const [tasks, attempts] = await Promise.all([findTasks(db, ids), findOpenAttempts(db, ids)]);
  return ids.map((_, at) => ({ task: tasks[at] ?? null, attempt: attempts[at] ?? null }));
}

async function rescheduleBatch(
  db: Database,
  reschedulings: readonly Rescheduling[],
): Promise<boolean[]> {
  const leased = await rescheduleAll(db, reschedulings);
  return reschedulings.map(({ job }) => leased.has(job.id));
}
