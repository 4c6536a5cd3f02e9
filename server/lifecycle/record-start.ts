/**
 * Records what a provider returned for a start. The task goes to another provider only on proof
 * that this one created nothing, and an accepted operation is never lost: it is what is paid for.
 */

import type { FailedReason } from '@vidgen/contract/task-status.ts';
import type { Transaction } from '../database/database.ts';
import { sleep } from '../process/clock.ts';
import { crashPoint } from '../process/crash-point.ts';
import type { Provider, ProviderFailure, StartResult } from '../providers/provider.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { reschedule } from '../queue/outcome.ts';
import { type Wait, waitForCapacity } from '../queue/waiting.ts';
import { type Attempt, closeAttempts, recordLoss, recordOperation } from '../tasks/attempts.ts';
import { listAttempts } from '../tasks/find-attempts.ts';
import { findTask } from '../tasks/store.ts';
import { isFinal, type Task, taskRef } from '../tasks/task.ts';
import { abandonOperation } from './cancel.ts';
import type { LifecycleContext } from './context.ts';
import { announceChange } from './settle/follow-ups.ts';
import { chooseProvider, waitOf } from './submit/provider-capacity.ts';

/** After a lost response: long enough for the upstream to finish or drop the start. */
const lookupBackoffSeconds = [2, 5, 15, 30, 60] as const;
/** Keeps starts that were lost together from being repeated together. */
const backoffJitter = 0.2;
/** Together as long as a restart of the database may take. */
const persistAttemptsMax = 30;
const persistRetryMs = 1000;

type StartedAttempt = {
  readonly task: Task;
  readonly job: Job;
  readonly provider: Provider;
  readonly attempt: Attempt;
};

export async function recordStart(
  lifecycle: LifecycleContext,
  started: StartedAttempt,
  startResult: StartResult,
): Promise<void> {
  const { task, attempt, provider } = started;
  switch (startResult.outcome) {
    case 'accepted':
      return await recordAccepted(lifecycle, started, startResult.operation);
    case 'throttled':
      return await recordThrottled(lifecycle, started, startResult).catch((error) =>
        removeLoss(lifecycle, started, error),
      );
    case 'unknown': {
      const { detail } = startResult;
      const logFields = { taskId: task.id, number: attempt.number, provider: provider.name };
      lifecycle.log.warn({ ...logFields, detail }, 'provider did not say whether it started');
      return await retryLater(lifecycle, started, detail);
    }
    case 'rejected':
      return await recordRejected(lifecycle, started, startResult).catch((error) =>
        removeLoss(lifecycle, started, error),
      );
  }
}

/**
 * The provider has created nothing, and the task ended while it was called: the loss that was
 * possible then did not occur. Rethrows the error.
 */
async function removeLoss(
  { db }: LifecycleContext,
  { task, attempt }: StartedAttempt,
  error: unknown,
): Promise<never> {
  const current = error instanceof LeaseLost ? await findTask(db, task.id) : task;
  // A task that is not there was final, and then deleted.
  if (!current || isFinal(current)) {
    const { taskId, number } = attempt;
    const [ended] = (await listAttempts(db, taskId)).filter((one) => one.number === number);
    if (ended?.operation === null) {
      await db.transaction((tx) => recordLoss(tx, { taskId, number, loss: null }));
    }
  }
  throw error;
}

/** Moves the task to `generating`, and its job on as `poll`. */
export async function recordAccepted(
  lifecycle: LifecycleContext,
  { task, job, provider, attempt }: StartedAttempt,
  operation: string,
): Promise<void> {
  const attemptRef = { taskId: task.id, number: attempt.number };
  try {
    await lifecycle.submits.recordAccepted({ ...attemptRef, job, operation });
  } catch (error) {
    // Without the operation, a generation that is paid for could be neither polled nor cancelled.
    if (!(error instanceof LeaseLost))
      await persistOperation(lifecycle, { ...attemptRef, operation });
    // The task ended, or another worker claimed it, during the provider call.
    else await abandonOperation(lifecycle, { ...attemptRef, provider, operation });
    throw error;
  }
  crashPoint('submit.after-commit');
  if (task.dialect?.name === 'modelark' && task.callbackUrl !== null)
    announceChange(lifecycle, task.id);
}

async function persistOperation(
  { db, log }: LifecycleContext,
  attempt: { taskId: string; number: number; operation: string },
): Promise<void> {
  for (let attemptsMade = 1; attemptsMade <= persistAttemptsMax; attemptsMade++) {
    try {
      await db.transaction((tx) => recordOperation(tx, attempt));
      return;
    } catch (error) {
      log.warn({ ...attempt, error }, 'could not save the operation, retrying');
      await sleep(persistRetryMs);
    }
  }
  log.error(attempt, 'operation not saved');
}

/**
 * Nothing was created, so another provider of the route gets the task at once. If none has
 * capacity, the task waits for all of them; for this one only if it is busy, since otherwise the
 * reason may be the task's own, and it is asked again after the delay.
 */
async function recordThrottled(
  lifecycle: LifecycleContext,
  { task, job, attempt, provider }: StartedAttempt,
  { retryAfterSeconds, detail, busy }: StartResult & { readonly outcome: 'throttled' },
): Promise<void> {
  const { taskId, number } = attempt;
  const attempts = (await listAttempts(lifecycle.db, task.id)).map((one) =>
    one.number === number ? { ...one, outcome: 'throttled' as const } : one,
  );
  // Providers asked before are excluded: two that throttle would pass the task back and forth.
  const options = { task, job, attempts, allowRetry: false };
  const choice = await chooseProvider(lifecycle, options);
  const busyProviders = choice.choice === 'wait' ? choice.providers : [];
  const awaited = busy ? busyProviders : busyProviders.filter((name) => name !== provider.name);
  const seconds = Math.min(retryAfterSeconds, Math.max(0.1, task.secondsLeft));
  await lifecycle.db.transaction(async (tx) => {
    // The job before the attempt, as in settling. The other order can deadlock.
    const next = { kind: 'submit', error: detail } as const;
    if (choice.choice === 'provider') {
      await reschedule(tx, job, { ...next, delaySeconds: 0, retry: false });
    } else if (awaited.length > 0) {
      await rescheduleAsWaiting(tx, waitOf({ task, job }, awaited, busy ? {} : { seconds }));
    } else await reschedule(tx, job, { ...next, delaySeconds: seconds, retry: true });
    await closeAttempts(tx, [{ taskId, outcome: 'throttled', detail }]);
  });
}

async function rescheduleAsWaiting(tx: Transaction, wait: Wait): Promise<void> {
  const leased = await waitForCapacity(tx, [wait]);
  if (!leased.has(wait.job.id)) throw new LeaseLost(wait.job);
}

async function recordRejected(
  lifecycle: LifecycleContext,
  { task, job, provider }: StartedAttempt,
  rejection: StartResult & { readonly outcome: 'rejected' },
): Promise<void> {
  const { detail, rejectedPart } = rejection;
  const logFields = { taskId: task.id, provider: provider.name, detail };
  lifecycle.log.warn(logFields, 'provider rejected the task');
  if (rejection.canFailOver) {
    return await submitAgain(lifecycle, { task, job }, { outcome: 'refused', detail });
  }
  const settled = await lifecycle.settle({
    ...taskRef(task),
    end: 'failed',
    job,
    reason: failedReasonOf(rejection),
    rejectedPart,
    attempt: 'refused',
    detail,
  });
  if (!settled) throw new LeaseLost(job);
}

/** Leaves open whether the provider has the task, and decides again later. */
export async function retryLater(
  { db }: LifecycleContext,
  { task, job }: { readonly task: Task; readonly job: Job },
  error: string,
): Promise<void> {
  const backoffSeconds =
    lookupBackoffSeconds[Math.min(job.attempts, lookupBackoffSeconds.length - 1)]!;
  const jittered = backoffSeconds * (1 + Math.random() * backoffJitter);
  const delaySeconds = Math.max(0.1, Math.min(jittered, task.secondsLeft));
  await reschedule(db, job, { kind: 'submit', delaySeconds, retry: true, error });
}

/**
 * Closes the attempt of a provider that has created nothing, and submits the task again; to the
 * same provider only if the outcome is `throttled`.
 */
export async function submitAgain(
  { db }: LifecycleContext,
  { task, job }: { readonly task: Task; readonly job: Job },
  { outcome, detail }: { readonly outcome: 'refused' | 'throttled'; readonly detail: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    await reschedule(tx, job, { kind: 'submit', delaySeconds: 0, retry: false });
    await closeAttempts(tx, [{ taskId: task.id, outcome, detail }]);
  });
}

const failedReasons = {
  failed: 'provider_failed',
  rejected: 'provider_rejected',
  material: 'material_unavailable',
  timed_out: 'timed_out',
} as const satisfies Record<ProviderFailure['reason'], FailedReason>;

export const failedReasonOf = ({ reason }: ProviderFailure): FailedReason => failedReasons[reason];
