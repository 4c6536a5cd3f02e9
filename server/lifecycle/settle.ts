/**
 * The end of one task: fail and refund, whoever ends it. Final status, credits, webhook delivery
 * and expiry change in one commit, or not at all. Tasks that end while others do are settled with
 * them, in `settle-together.ts`; no other code path settles a reservation.
 *
 * Locks are taken in one order everywhere: balance, task, job. A task that is final already is left
 * as it is: whoever comes second has no effect.
 */
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import { crashPoint } from '../crash-point.ts';
import { isTransientDatabaseError, type Transaction } from '../database/database.ts';
import { lockBalances } from '../ledger/ledger.ts';
import type { ProviderFailure } from '../providers/provider.ts';
import type { Job } from '../queue/job.ts';
import { deleteGenerationJob, enqueue, finish } from '../queue/queue.ts';
import { type AttemptOutcome, closeAttempts } from '../tasks/attempts.ts';
import { lockTasks, moveToFailed } from '../tasks/store.ts';
import { isFinal, type Task } from '../tasks/task.ts';
import { webhookPayload } from '../tasks/view.ts';
import { insertDeliveries } from '../webhooks/delivery.ts';
import { type LifecycleContext, taskChannel } from './context.ts';

/** A person is asked only about a refund that was refused so often. */
const refundAttemptsMax = 3;

/** What settling needs of a lifecycle. */
export type Settler = Pick<LifecycleContext, 'db' | 'log' | 'resultUrl' | 'settings'>;

export type TaskFailure = {
  readonly taskId: string;
  readonly accountId: string;
  readonly mode: Task['mode'];
  readonly reason: FailedReason;
  readonly rejectedPart?: ProviderFailure['rejectedPart'] | undefined;
  readonly attempt: AttemptOutcome;
  readonly detail?: string | undefined;
  /** What its provider may bill us for all the same. */
  readonly loss?: string | undefined;
  /** The work that found the failure; absent when a client or an operator ends the task. */
  readonly job?: Job;
  /** Asked once the task is locked: whether what the caller decided by is still so. */
  readonly precondition?: (tx: Transaction) => Promise<boolean>;
  /** Written in the same commit: who ended the task, when an operator did. */
  readonly writeAudit?: ((tx: Transaction) => Promise<void>) | undefined;
};

/**
 * Answers the failed task, or null when it was final already or what was decided by has changed.
 */
export async function settleFailed(lifecycle: Settler, failure: TaskFailure): Promise<Task | null> {
  const failed = await lifecycle.db.transaction(async (tx) => {
    // The balance before the task, as everywhere: two orders would be a deadlock.
    await lockBalances(tx, [failure]);
    const task = (await lockTasks(tx, [failure.taskId])).get(failure.taskId);
    if (!task || isFinal(task)) return null;
    if (failure.precondition && !(await failure.precondition(tx))) return null;
    const billingStatus = await refundOrSuspend(lifecycle, tx, task);
    const { reason, rejectedPart } = failure;
    const end = { id: task.id, reason, rejectedPart, billingStatus };
    const [moved = null] = await moveToFailed(tx, [end]);
    if (failure.job) await finish(tx, failure.job);
    else await deleteGenerationJob(tx, task.id);
    const { attempt: outcome, detail, loss } = failure;
    await closeAttempts(tx, [{ taskId: task.id, outcome, detail, loss }]);
    if (moved) await enqueueWebhooks(lifecycle, tx, [moved]);
    await failure.writeAudit?.(tx);
    crashPoint('settle.before-commit');
    return moved;
  });
  crashPoint('settle.after-commit');
  const { loss, taskId } = failure;
  if (failed && loss) lifecycle.log.warn({ taskId, loss }, 'possible loss');
  return failed;
}

/**
 * The refund may be impossible (a closed account, or what the database refuses several times): that
 * alone is undone, the task still fails, and the credits wait in `suspended` for an operator (Spec
 * 3.2).
 */
async function refundOrSuspend(
  { log }: Settler,
  tx: Transaction,
  task: Task,
): Promise<'refunded' | 'refund_failed'> {
  for (let tried = 1; tried <= refundAttemptsMax; tried++) {
    try {
      if (await tx.savepoint((nestedTx) => refund(nestedTx, task))) return 'refunded';
      log.warn({ taskId: task.id }, 'the refund was not booked: the account is closed');
      break;
    } catch (error) {
      // Then nothing of this is written, and the whole is tried again later: no case for a person.
      if (isTransientDatabaseError(error)) throw error;
      log.error({ taskId: task.id, tried, error }, 'the refund was not booked');
    }
  }
  const ledger = await lockBalances(tx, [task]);
  ledger.suspend(taskCredits(task));
  await ledger.flush();
  return 'refund_failed';
}

/** Answers whether the account takes it. */
async function refund(tx: Transaction, task: Task): Promise<boolean> {
  const ledger = await lockBalances(tx, [task]);
  const { outcome } = ledger.refund(taskCredits(task));
  await ledger.flush();
  return outcome === 'refunded';
}

/**
 * The delivery row is part of the commit that makes the task final, so no call is ever forgotten.
 */
export async function enqueueWebhooks(
  { resultUrl }: Settler,
  tx: Transaction,
  tasks: readonly Task[],
): Promise<void> {
  const deliveries = await insertDeliveries(
    tx,
    tasks.flatMap((task) => {
      const { id: taskId, accountId, mode, callbackUrl: url } = task;
      if (url === null) return [];
      const body = JSON.stringify(webhookPayload(task, resultUrl));
      return [{ accountId, taskId, mode, url, body }];
    }),
  );
  await enqueue(
    tx,
    deliveries.map(({ id: deliveryId, accountId, taskId }) => {
      return { kind: 'notify', accountId, taskId, deliveryId };
    }),
  );
  await tx.query(`select pg_notify('${taskChannel}', id) from unnest($1::text[]) as id`, [
    tasks.map(({ id }) => id),
  ]);
}

/** Why a provider let the task down, in the contract's words. */
export const failedReasonOf = ({ reason }: ProviderFailure): FailedReason => failedReasons[reason];

const failedReasons = {
  failed: 'provider_failed',
  rejected: 'provider_rejected',
  material: 'material_unavailable',
  timed_out: 'timed_out',
} as const satisfies Record<ProviderFailure['reason'], FailedReason>;

export const taskRef = ({ id: taskId, accountId, mode }: Task) => ({ taskId, accountId, mode });

export const taskCredits = ({ accountId, mode, id: taskId, credits }: Task) => ({
  accountId,
  mode,
  taskId,
  credits,
});
