/** Announces changed tasks to status requests that wait for a change (`?wait=`). */
import type { Transaction } from '../database/database.ts';

export const taskChannel = 'vidgen_tasks';

/** Listeners are notified when the transaction commits; the payload is the task's ID. */
export async function notifyTaskChanges(
  tx: Transaction,
  taskIds: readonly string[],
): Promise<void> {
  await tx.query(`select pg_notify('${taskChannel}', id) from unnest($1::text[]) as id`, [taskIds]);
}
