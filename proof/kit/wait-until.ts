/** Waits for conditions in tests. */
import type { Database } from '../../server/database/database.ts';
import { sleep } from '../../server/process/clock.ts';

type Falsy = undefined | null | false;

/** Polls until `check` returns a value, and returns the value. */
export async function waitUntil<Value>(
  check: () => Value | Falsy | Promise<Value | Falsy>,
): Promise<Value> {
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== null && value !== false) return value;
    await sleep(20);
  }
}

/** Waits until the poll of a task has ended and the next one is scheduled for later. */
export async function waitUntilRescheduled(db: Database, taskId: string): Promise<void> {
  const rescheduled = `select from jobs
    where task_id = $1 and kind = 'poll' and lease_until is null and run_at > now()`;
  await waitUntil(async () => (await db.query(rescheduled, [taskId])).rowCount !== 0);
}
