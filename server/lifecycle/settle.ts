/**
 * The end of a task: complete and charge, or fail and refund. Final status, credits, webhook
 * delivery and expiry change in one commit, or not at all. No other code path settles a
 * reservation.
 *
 * Locks are taken in one order everywhere: balance, task, job. A task that is final already is left
 * as it is: whoever comes second has no effect.
 */
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import { crashPoint } from '../crash-point.ts';
import type { Transaction } from '../database/database.ts';
import { openBooks } from '../ledger/books.ts';
import type { ProviderFailure } from '../providers/provider.ts';
import type { Job } from '../queue/job.ts';
import { enqueue, finish, removeWorkOf } from '../queue/queue.ts';
import { type AttemptOutcome, closeAttempt } from '../tasks/attempts.ts';
import { lockTask, moveToCompleted, moveToFailed } from '../tasks/rows.ts';
import { isFinal, type Result, type Task } from '../tasks/task.ts';
import { webhookCall } from '../tasks/view.ts';
import { insertDelivery } from '../webhooks/delivery.ts';
import { type Lifecycle, taskChannel } from './context.ts';

/** Fenced by the job: a worker whose lease was lost changes nothing, and is told by `LeaseLost`. */
export async function settleCompleted(
  lifecycle: Lifecycle,
  {
    task,
    job,
    result,
    outputSeconds,
  }: { task: Task; job: Job; result: Result; outputSeconds?: number | undefined },
): Promise<void> {
  await lifecycle.db.transaction(async (tx) => {
    const books = await openBooks(tx, [task]);
    const completed = await moveToCompleted(tx, {
      id: task.id,
      result,
      lifeSeconds: lifecycle.settings.resultLifeSeconds,
    });
    await finish(tx, job);
    if (!completed) return;
    books.charge(creditsOf(task));
    await books.write();
    await closeAttempt(tx, {
      taskId: task.id,
      outcome: 'completed',
      outputSeconds: outputSeconds ?? null,
    });
    await announce(lifecycle, tx, completed);
    const delaySeconds = lifecycle.settings.resultLifeSeconds;
    await enqueue(tx, [
      { kind: 'expire', accountId: task.accountId, taskId: task.id, delaySeconds },
    ]);
    crashPoint('settle.before-commit');
  });
  crashPoint('settle.after-commit');
}

export type TaskFailure = {
  readonly taskId: string;
  readonly accountId: string;
  readonly mode: Task['mode'];
  readonly reason: FailedReason;
  readonly attempt: AttemptOutcome;
  readonly detail?: string;
  /** The work that found the failure; absent when a client or an operator ends the task. */
  readonly job?: Job;
  /** Asked once the task is locked: whether what the caller decided by is still so. */
  readonly stillSo?: (tx: Transaction) => Promise<boolean>;
  /** Written in the same commit: who ended the task, when an operator did. */
  readonly record?: ((tx: Transaction) => Promise<void>) | undefined;
};

/**
 * Answers the failed task, or null when it was final already or what was decided by has changed.
 */
export async function settleFailed(
  lifecycle: Lifecycle,
  failure: TaskFailure,
): Promise<Task | null> {
  const failed = await lifecycle.db.transaction(async (tx) => {
    // The balance before the task, as everywhere: two orders would be a deadlock.
    await openBooks(tx, [failure]);
    const task = await lockTask(tx, failure.taskId);
    if (!task || isFinal(task)) return null;
    if (failure.stillSo && !(await failure.stillSo(tx))) return null;
    const billingStatus = await giveBack(lifecycle, tx, task);
    const moved = await moveToFailed(tx, { id: task.id, reason: failure.reason, billingStatus });
    if (failure.job) await finish(tx, failure.job);
    else await removeWorkOf(tx, task.id);
    await closeAttempt(tx, {
      taskId: task.id,
      outcome: failure.attempt,
      detail: failure.detail ?? null,
    });
    if (moved) await announce(lifecycle, tx, moved);
    await failure.record?.(tx);
    crashPoint('settle.before-commit');
    return moved;
  });
  crashPoint('settle.after-commit');
  return failed;
}

/**
 * The refund may be impossible (a closed account, or anything the database refuses): that alone is
 * undone, the task still fails, and the credits wait in `suspended` for an operator (Spec 3.2).
 */
async function giveBack(
  { log }: Lifecycle,
  tx: Transaction,
  task: Task,
): Promise<'refunded' | 'refund_failed'> {
  try {
    const refunded = await tx.savepoint(async (part) => {
      const books = await openBooks(part, [task]);
      const { outcome } = books.refund(creditsOf(task));
      await books.write();
      return outcome === 'refunded';
    });
    if (refunded) return 'refunded';
    log.warn({ taskId: task.id }, 'the refund was not booked: the account is closed');
  } catch (error) {
    log.error({ taskId: task.id, error }, 'the refund was not booked');
  }
  const books = await openBooks(tx, [task]);
  books.suspend(creditsOf(task));
  await books.write();
  return 'refund_failed';
}

/**
 * The delivery row is part of the commit that makes the task final, so no call is ever forgotten.
 */
async function announce(lifecycle: Lifecycle, tx: Transaction, task: Task): Promise<void> {
  if (task.callbackUrl !== null) {
    const { id: deliveryId } = await insertDelivery(tx, {
      accountId: task.accountId,
      taskId: task.id,
      mode: task.mode,
      url: task.callbackUrl,
      body: JSON.stringify(webhookCall(task, lifecycle.addressOf)),
    });
    await enqueue(tx, [{ kind: 'notify', accountId: task.accountId, taskId: task.id, deliveryId }]);
  }
  await tx.query(`select pg_notify('${taskChannel}', $1)`, [task.id]);
}

/** Why a provider let the task down, in the contract's words. */
export const failedReasonOf = ({ reason }: ProviderFailure): FailedReason => failedReasons[reason];

const failedReasons = {
  failed: 'provider_failed',
  rejected: 'provider_rejected',
  material: 'material_unavailable',
  timed_out: 'timed_out',
} as const satisfies Record<ProviderFailure['reason'], FailedReason>;

export const ofTask = ({ id: taskId, accountId, mode }: Task) => ({ taskId, accountId, mode });

const creditsOf = ({ accountId, mode, id: taskId, credits }: Task) => ({
  accountId,
  mode,
  taskId,
  credits,
});
