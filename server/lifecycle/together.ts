/**
 * What every poll does, done for many at once: polls that read, wait or end while others do share
 * their statements and commits (`database/batcher.ts`). Nothing waits for company, and each poll
 * hears of its own outcome only.
 */
import { Batcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import { LeaseLost } from '../queue/job.ts';
import { type GoingOn, goOnAll } from '../queue/queue.ts';
import { findOpenAttempts } from '../tasks/attempts.ts';
import { findTasks } from '../tasks/rows.ts';
import type { LifecycleParts, Polled, Together } from './context.ts';
import { createSettleTogether } from './settle-together.ts';

const batchItemsMax = 500;

export function createTogether(parts: LifecycleParts): Together {
  const { db } = parts;
  const limits = { itemsMax: batchItemsMax, inFlightMax: db.engine === 'embedded' ? 1 : 2 };
  const finder = new Batcher<string, Polled>({ run: (ids) => findAll(db, ids), ...limits });
  const goers = new Batcher<GoingOn, boolean>({ run: (those) => letGoOn(db, those), ...limits });
  return {
    find: (taskId) => finder.add(taskId),
    async goOn(job, next) {
      if (!(await goers.add({ job, next }))) throw new LeaseLost(job);
    },
    ...createSettleTogether(parts),
  };
}

async function findAll(db: Database, ids: readonly string[]): Promise<Polled[]> {
  const [tasks, attempts] = await Promise.all([findTasks(db, ids), findOpenAttempts(db, ids)]);
  return ids.map((_, at) => ({ task: tasks[at] ?? null, attempt: attempts[at] ?? null }));
}

async function letGoOn(db: Database, those: readonly GoingOn[]): Promise<boolean[]> {
  const held = await goOnAll(db, those);
  return those.map(({ job }) => held.has(job.id));
}
