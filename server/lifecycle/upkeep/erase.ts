/**
 * Deletes final tasks with everything that their customers sent and received. The ledger, usage and
 * the audit log stay. A job of the same commit deletes the files, so that a crash forgets none.
 */
import { type ApiError, invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import type { Transaction } from '../../database/database.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import { deleteFollowUpJobs, enqueue } from '../../queue/enqueue.ts';
import { eraseTasks, isRefundPending } from '../../tasks/retention.ts';
import { lockTasks, notifyTaskChanges } from '../../tasks/store.ts';
import { isFinal, type Task } from '../../tasks/task.ts';
import { deleteDeliveries } from '../../webhooks/delivery.ts';
import type { LifecycleContext } from '../context.ts';
import { deleteCopies } from '../submit/copy-sources.ts';

type EraseOptions = {
  /** Throws an `ApiError` in the commit if the caller lost the right. */
  readonly reauthorize: (tx: Transaction, options: { readonly lock: true }) => Promise<void>;
  /** Runs in the same commit. */
  readonly writeAudit: (tx: Transaction) => Promise<void>;
};

/**
 * Erases one task. Throws `invalid_request` if it is not final or an admin has its refund to
 * resolve, and `not_found` if another request was first. Its webhook is not sent again.
 */
export async function eraseTask(
  lifecycle: LifecycleContext,
  { id: taskId, accountId, mode }: Pick<Task, 'id' | 'accountId' | 'mode'>,
  { reauthorize, writeAudit }: EraseOptions,
): Promise<void> {
  const erased = await lifecycle.db.transaction(async (tx) => {
    // Closing the account locks them, too: the right is judged before or after it, never meanwhile.
    await lockBalances(tx, [{ accountId, mode }]);
    await reauthorize(tx, { lock: true });
    const task = (await lockTasks(tx, [taskId])).get(taskId);
    if (!task) throw notFound('No task found with this ID in your account.');
    if (!isFinal(task)) throw notFinal(task);
    if (isRefundPending(task)) throw refundPending();
    await eraseLocked(tx, [task]);
    await writeAudit(tx);
    return task;
  });
  await deleteFiles(lifecycle, erased);
}

/** Erases tasks that `tx` has locked. Lock order is task, delivery, job. */
export async function eraseLocked(tx: Transaction, tasks: readonly Task[]): Promise<void> {
  if (tasks.length === 0) return;
  const taskIds = tasks.map(({ id }) => id);
  const deliveryIds = await deleteDeliveries(tx, taskIds);
  await deleteFollowUpJobs(tx, { taskIds, deliveryIds });
  const withFiles = await eraseTasks(tx, tasks);
  await enqueue(
    tx,
    tasks
      .filter(({ id }) => withFiles.has(id))
      .map(({ id, accountId }) => ({ kind: 'expire', taskId: id, accountId }) as const),
  );
  await notifyTaskChanges(tx, taskIds);
}

/** At once for the caller; what cannot be deleted now is deleted by the job. */
async function deleteFiles(lifecycle: LifecycleContext, task: Task): Promise<void> {
  const { storage, log } = lifecycle;
  await deleteCopies(lifecycle, task);
  try {
    await storage.remove(await Array.fromAsync(storage.list(`${task.id}/`), ({ key }) => key));
  } catch (error) {
    log.warn({ taskId: task.id, error }, 'files of a deleted task not deleted, retrying');
  }
}

const notFinal = ({ id, status }: Task): ApiError =>
  invalidRequest(
    `The task ${id} is ${status}; cancel it, or wait until it has completed or failed.`,
  );

const refundPending = (): ApiError =>
  invalidRequest('The refund of this task is not resolved yet; delete the task after that.');
