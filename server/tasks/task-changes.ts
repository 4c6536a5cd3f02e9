/** Announces changed tasks to status requests that wait for a change (`?wait=`). */
import type { PreparedStatement, Transaction } from '../database/database.ts';

export const taskChannel = 'vidgen_tasks';

/** Listeners are notified when the transaction commits; the payload is the task's ID. */
export async function notifyTaskChanges(
  tx: Transaction,
  taskIds: readonly string[],
): Promise<void> {
  await tx.query(notifyStatement, [taskIds]);
}

const notifyStatement: PreparedStatement = {
  name: 'notify_task_changes',
  text: `select pg_notify('${taskChannel}', id) from unnest($1::text[]) as id`,
};
