/** Waits until the look at a task is over, and the next one some time off. */
import { sleep } from '../../server/clock.ts';
import type { Database } from '../../server/database/database.ts';

const pollMs = 20;

export async function waitUntilRescheduled(db: Database, taskId: string): Promise<void> {
  const rescheduled = `select from jobs
    where task_id = $1 and kind = 'poll' and lease_until is null and run_at > now()`;
  while ((await db.query(rescheduled, [taskId])).rowCount === 0) await sleep(pollMs);
}
