/**
 * Removes final tasks and everything that their customers sent and received. What the ledger and
 * usage need of a task is kept in `erased_tasks`, and its attempts without the providers' texts.
 */
import type { PreparedStatement, Transaction } from '../database/database.ts';
import { deleteMetadata } from './metadata.ts';
import type { Task } from './task.ts';
import { updateTaskWords } from './task-words.ts';

/**
 * Erases tasks that this transaction has locked with `lockTasks`. Idempotency keys stay
 * until they expire: a repeated create must not make a second task. Returns the IDs of those whose
 * files are still to be deleted.
 */
export async function eraseTasks(tx: Transaction, tasks: readonly Task[]): Promise<Set<string>> {
  await deleteMetadata(tx, tasks);
  const ids = tasks.map(({ id }) => id);
  const { rows } = await tx.query<{ id: string }>(eraseTasksStatement, [ids]);
  await updateTaskWords(tx, ids);
  return new Set(rows.map(({ id }) => id));
}

const eraseTasksStatement: PreparedStatement = {
  name: 'erase_tasks',
  text: `with erased as (
           delete from tasks where id = any($1::text[]) returning *
         ), blanked as (
           update attempts set detail = null where task_id = any($1::text[]) and detail is not null
         ), kept as (
           insert into erased_tasks (id, account_id, key_id, mode, model, resolution, status,
             billing_status, credits, created_at, finished_at)
           select id, account_id, key_id, mode, model, generation ->> 'resolution', status,
             billing_status, credits, created_at, finished_at from erased
         )
         select id from erased where result is not null and removed_at is null`,
};

export const isRefundPending = ({ billingStatus, refundOutcome }: Task): boolean =>
  billingStatus === 'refund_failed' && refundOutcome === null;
