/**
 * Cancels a task on request: at once while it is queued, and when its provider confirms that it
 * stopped while it is generating. A submit that is under way is stopped when it returns. A process
 * that does not have the provider leaves it to a worker that does.
 */
import { ApiError, invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import type { Transaction } from '../database/database.ts';
import { sleep } from '../process/clock.ts';
import { isProviderLive, providerKey } from '../processes/processes.ts';
import type { Provider } from '../providers/provider.ts';
import { runNow } from '../queue/enqueue.ts';
import type { Job } from '../queue/job.ts';
import {
  type Attempt,
  endCancelRequest,
  markCancelRequested,
  recordLoss,
  recordOperation,
  setCancelWanted,
} from '../tasks/attempts.ts';
import { findOpenAttempt, listAttempts } from '../tasks/find-attempts.ts';
import { findTask } from '../tasks/store.ts';
import { isFinal, type Task, taskRef } from '../tasks/task.ts';
import type { LifecycleContext } from './context.ts';
import { attemptCost } from './settle/attempt-cost.ts';
import { endedUncertain, possibleLoss } from './settle/possible-loss.ts';

/** A request waits this long for another cancellation, or for a poll that sees the stop. */
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
  const right = checkRight(reauthorize);
  let providerCancel: ProviderCancel | null = null;
  for (let waits = 0; ; waits++) {
    const current = await findTask(db, task.id);
    if (!current) throw notFound('No task found with this ID.');
    if (isFinal(current)) {
      const isOurRequest = providerCancel !== null && providerCancel !== 'already_requested';
      if (!isOurRequest || current.failedReason !== 'cancelled') throw alreadyFinal(current);
      // The provider took so long to stop that a poll has ended the task for this request.
      if (writeAudit) await db.transaction(writeAudit);
      return current;
    }
    if (providerCancel === 'still_running') throw cannotCancel();
    const attempt = await findOpenAttempt(db, task.id);
    if (attempt?.operation && providerCancel === 'released') {
      providerCancel = releasedCancel(attempt);
      // A worker without the provider may have claimed the job and given it back.
      if (providerCancel === 'released') await runNow(db, task.id);
    } else if (attempt?.operation && providerCancel !== 'unconfirmed') {
      // Also judged in the commit that ends the task; what the provider stops cannot be taken back.
      await db.transaction((tx) => reauthorize(tx, { lock: true }));
      providerCancel =
        (await releaseCancelToOtherProcess(lifecycle, attempt, right)) ??
        (await cancelOperation(lifecycle, attempt, attempt.operation));
      right.throwIfLost();
    }
    if (!attempt?.operation || providerCancel === 'stopped') {
      const failed = await lifecycle.settle({
        ...taskRef(task),
        end: 'failed',
        reason: 'cancelled',
        attempt: 'cancelled',
        // What a submit under way may cost; it removes the loss if it created or stopped nothing.
        loss: attempt?.operation
          ? undefined
          : possibleLoss(attempt, { cancelResult: null, ended: 'cancelled' }),
        // A start that began in between must be cancelled at its provider first.
        cost: attemptCost(lifecycle, {
          task,
          attempt,
          outcome: 'cancelled',
          isStopped: providerCancel === 'stopped',
        }),
        precondition: async (tx) =>
          isSame(attempt, await findOpenAttempt(tx, task.id)) && (await right.holds(tx)),
        writeAudit,
      });
      if (failed) return failed;
      right.throwIfLost();
    }
    if (providerCancel === 'still_running') continue;
    if (waits === waitsMax) {
      const isUnderWay = providerCancel === 'already_requested' || providerCancel === 'released';
      throw isUnderWay ? cancelInProgress() : cannotCancel();
    }
    await sleep(waitMs);
  }
}

/** Keeps the error for the caller: thrown in a settlement, it would fail the batch of others. */
function checkRight(reauthorize: CancelOptions['reauthorize']) {
  let lost: ApiError | undefined;
  return {
    async holds(tx: Transaction): Promise<boolean> {
      try {
        await reauthorize(tx, { lock: true });
        return true;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        lost = error;
        return false;
      }
    },
    throwIfLost() {
      if (lost) throw lost;
    },
  };
}

type ProviderCancel =
  | 'stopped'
  | 'still_running'
  | 'unconfirmed'
  | 'already_requested'
  | 'released';

/** Returns null when this process has the provider, or no live worker has it. */
async function releaseCancelToOtherProcess(
  { db, providers }: LifecycleContext,
  { taskId, number, provider, credential }: Attempt,
  right: ReturnType<typeof checkRight>,
): Promise<'released' | null> {
  if (providers.has(provider, credential)) return null;
  if (!(await isProviderLive(db, providerKey(provider, credential)))) return null;
  await db.transaction(async (tx) => {
    if (await right.holds(tx)) await setCancelWanted(tx, { taskId, number, isWanted: true });
  });
  await runNow(db, taskId);
  return 'released';
}

/** What the worker made of it. */
function releasedCancel(attempt: Attempt): ProviderCancel {
  if (attempt.isCancelWanted || attempt.secondsSinceCancelRequested !== null) return 'released';
  return attempt.secondsSinceCancelUnconfirmed === null ? 'still_running' : 'unconfirmed';
}

/**
 * Cancels for a process that does not have the provider. Returns whether the task has ended;
 * otherwise it is polled on.
 */
export async function cancelIfRequested(
  lifecycle: LifecycleContext,
  { task, job }: { readonly task: Task; readonly job: Job },
  attempt: Attempt & { readonly operation: string },
): Promise<boolean> {
  if (!attempt.isCancelWanted) return false;
  const result = await cancelOperation(lifecycle, attempt, attempt.operation);
  if (result !== 'stopped') {
    await setCancelWanted(lifecycle.db, { ...attempt, isWanted: false });
    return false;
  }
  await lifecycle.settle({
    ...taskRef(task),
    job,
    end: 'failed',
    reason: 'cancelled',
    attempt: 'cancelled',
    cost: attemptCost(lifecycle, { task, attempt, outcome: 'cancelled', isStopped: true }),
  });
  return true;
}

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
  const isUnconfirmed = cancelResult === 'unknown';
  await endCancelRequest(db, attempt, { isUnconfirmed });
  await runNow(db, attempt.taskId);
  return isUnconfirmed ? 'unconfirmed' : 'still_running';
}

const isSame = (before: Attempt | null, now: Attempt | null): boolean =>
  before?.number === now?.number &&
  before?.operation === now?.operation &&
  before?.startUncertain === now?.startUncertain;

const cancelInProgress = (): ApiError =>
  invalidRequest('This task is already being canceled; check its status in a moment.');

const cannotCancel = (): ApiError =>
  invalidRequest(
    'The task is already generating at a provider that cannot stop it: wait until it has ' +
      'completed or failed.',
  );

const alreadyFinal = ({ id, status }: Task): ApiError =>
  invalidRequest(`Task ${id} is already ${status}; only tasks in progress can be canceled.`);

/**
 * Cancels an operation that was accepted after its task had ended. Records a loss if the provider
 * does not confirm that it stopped, and removes the loss that was possible until then if it does.
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
  // A task that is not there was final, and then deleted.
  if (task && !isFinal(task)) return; // Another worker continues with the same reference.
  const attempts = await listAttempts(db, taskId);
  const attempt = attempts.find((one) => one.number === number);
  // A callback may have told the operation after the settlement, which then did not know of it.
  const isUnknown = isNew || (attempt?.operation === operation && endedUncertain(attempt));
  if (!isUnknown && attempt?.operation === operation) return;
  const cancelResult = await provider.cancel(operation).catch(() => 'unknown');
  if (cancelResult === 'stopped') {
    if (isUnknown) await db.transaction((tx) => recordLoss(tx, { taskId, number, loss: null }));
    return;
  }
  const loss = `accepted by ${provider.name} after the task had ended (${cancelResult})`;
  await db.transaction((tx) => recordLoss(tx, { taskId, number, loss }));
  log.warn({ taskId, provider: provider.name, loss }, 'unbilled provider cost');
}
