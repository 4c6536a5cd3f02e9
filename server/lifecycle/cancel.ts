/**
 * Cancels a task on request. Allowed only where no provider bills for it: while it is queued, or
 * when its provider confirms that it stopped.
 */

import { ApiError } from '../api-error.ts';
import { sleep } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import type { Provider } from '../providers/provider.ts';
import { runNow } from '../queue/enqueue.ts';
import {
  type Attempt,
  findOpenAttempt,
  listAttempts,
  recordLoss,
  recordOperation,
} from '../tasks/attempts.ts';
import { clearCancelRequested, markCancelRequested } from '../tasks/cancel-requests.ts';
import { findTask } from '../tasks/store.ts';
import { isFinal, type Task, taskRef } from '../tasks/task.ts';
import type { LifecycleContext } from './context.ts';

/** A start takes a few seconds; a cancellation that meets one waits for its response. */
const waitsMax = 20;
const waitMs = 150;
/**
 * Longer than any cancellation at a provider takes: a process that requested one before that has
 * crashed.
 */
export const cancelTimeoutSeconds = 60;

type CancelOptions = {
  /** Throws an `ApiError` in the commit that ends the task if the caller lost the right to it. */
  readonly reauthorize: (tx: Transaction, options: { readonly lock: true }) => Promise<void>;
  /** Runs in the commit that ends the task. */
  readonly writeAudit?: (tx: Transaction) => Promise<void>;
};

export async function cancel(
  lifecycle: LifecycleContext,
  task: Task,
  { reauthorize, writeAudit }: CancelOptions,
): Promise<Task> {
  const { db } = lifecycle;
  const right = new RightCheck(reauthorize);
  let providerCancel: ProviderCancel | null = null;
  for (let waits = 0; ; waits++) {
    const current = (await findTask(db, task.id)) ?? task;
    if (isFinal(current)) {
      const isOurRequest = providerCancel === 'stopped' || providerCancel === 'still_running';
      if (!isOurRequest || current.failedReason !== 'cancelled') throw alreadyFinal(current);
      // The provider took so long to stop that a poll has ended the task for this request.
      if (writeAudit) await db.transaction(writeAudit);
      return current;
    }
    if (providerCancel === 'still_running') throw cannotCancel();
    const attempt = await findOpenAttempt(db, task.id);
    if (attempt?.operation)
      providerCancel = await cancelOperation(lifecycle, attempt, attempt.operation);
    const mayEnd = attempt?.operation ? providerCancel === 'stopped' : !attempt?.unanswered;
    if (mayEnd) {
      const failed = await lifecycle.settle({
        ...taskRef(task),
        end: 'failed',
        reason: 'cancelled',
        attempt: 'cancelled',
        // A start that began in between must be cancelled at its provider first.
        precondition: async (tx) =>
          isSame(attempt, await findOpenAttempt(tx, task.id)) && (await right.holds(tx)),
        writeAudit,
      });
      if (failed) return failed;
      right.throwIfLost();
    }
    if (providerCancel === 'still_running') continue;
    if (waits === waitsMax)
      throw providerCancel === 'already_requested' ? cancelInProgress() : cannotCancel();
    await sleep(waitMs);
  }
}

/** Keeps the error for the caller: thrown in a settlement, it would fail the batch of others. */
class RightCheck {
  readonly #reauthorize: CancelOptions['reauthorize'];
  #error: ApiError | undefined;

  constructor(reauthorize: CancelOptions['reauthorize']) {
    this.#reauthorize = reauthorize;
  }

  async holds(tx: Transaction): Promise<boolean> {
    try {
      await this.#reauthorize(tx, { lock: true });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#error = error;
      return false;
    }
  }

  throwIfLost(): void {
    if (this.#error) throw this.#error;
  }
}

type ProviderCancel = 'stopped' | 'still_running' | 'already_requested';

async function cancelOperation(
  { db, providers }: LifecycleContext,
  attempt: Attempt,
  operation: string,
): Promise<ProviderCancel> {
  const provider = providers.get(attempt.provider, attempt.credential);
  // Marked before the provider is asked: a poll that finds the generation stopped would otherwise
  // count it as the provider's failure.
  const isOurRequest = await markCancelRequested(db, {
    ...attempt,
    timeoutSeconds: cancelTimeoutSeconds,
  });
  if (!isOurRequest) return 'already_requested';
  const cancelResult = await provider?.cancel(operation).catch(() => 'unknown');
  if (cancelResult === 'stopped') return 'stopped';
  await clearCancelRequested(db, attempt);
  await runNow(db, attempt.taskId);
  return 'still_running';
}

const isSame = (before: Attempt | null, now: Attempt | null): boolean =>
  before?.number === now?.number &&
  before?.operation === now?.operation &&
  before?.unanswered === now?.unanswered;

const cancelInProgress = (): ApiError =>
  new ApiError('invalid_request', 'The task is being cancelled: ask for it again in a moment.');

const cannotCancel = (): ApiError =>
  new ApiError(
    'invalid_request',
    'The task is already generating at a provider that cannot stop it: wait until it has ' +
      'completed or failed.',
  );

const alreadyFinal = ({ id, status }: Task): ApiError =>
  new ApiError(
    'invalid_request',
    `The task ${id} is already ${status}: only one in progress can be cancelled.`,
  );

/**
 * Cancels an operation that was accepted after its task had ended. Records a loss if the provider
 * does not confirm that it stopped.
 */
export async function abandonOperation(
  { db, log }: LifecycleContext,
  {
    taskId,
    number,
    provider,
    operation,
  }: { taskId: string; number: number; provider: Provider; operation: string },
): Promise<void> {
  const isNew = await db.transaction((tx) => recordOperation(tx, { taskId, number, operation }));
  const task = await findTask(db, taskId);
  if (!task || !isFinal(task)) return; // Another worker continues with the same reference.
  const attempts = await listAttempts(db, taskId);
  const known = attempts.find((attempt) => attempt.number === number)?.operation;
  if (!isNew && known === operation) return; // The settlement that ended the task knew of it.
  const cancelResult = await provider.cancel(operation).catch(() => 'unknown');
  if (cancelResult === 'stopped') return;
  const loss = `accepted by ${provider.name} after the task had ended (${cancelResult})`;
  await recordLoss(db, { taskId, number, loss });
  log.warn({ taskId, provider: provider.name, loss }, 'unbilled provider cost');
}
