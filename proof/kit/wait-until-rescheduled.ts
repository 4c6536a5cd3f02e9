/** Waits until the poll of a task has ended and the next one is scheduled for later. */
import type { Database } from '../../server/database/database.ts';
import { waitUntil } from './journey.ts';

export async function waitUntilRescheduled(db: Database, taskId: string): Promise<void> {
  const rescheduled = `select from jobs
    where task_id = $1 and kind = 'poll' and lease_until is null and run_at > now()`;
  await waitUntil(async () => (await db.query(rescheduled, [taskId])).rowCount !== 0);
}
