/**
 * Hands a queued task to a provider, once. Submitting costs money, so the intent is committed
 * before the provider is asked; when an answer is lost, the provider's own protection decides what
 * may follow.
 */
import { randomBytes } from 'node:crypto';
import { monotonicMs, sleep } from '../clock.ts';
import { crashPoint } from '../crash-point.ts';
import type { Provider, ProviderFailure, StartResult } from '../providers/provider.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { leaseSeconds, requireLease, reschedule } from '../queue/queue.ts';
import {
  type Attempt,
  closeAttempt,
  hasCapacity,
  listAttempts,
  openAttempt,
  recordOperation,
  setUnanswered,
} from '../tasks/attempts.ts';
import { findTask, markSubmitted, moveToGenerating } from '../tasks/store.ts';
import { isFinal, type Task, taskRef } from '../tasks/task.ts';
import { notifyTaskChanges } from '../tasks/task-changes.ts';
import { abandonOperation } from './cancel.ts';
import { chooseProvider } from './choose-provider.ts';
import type { LifecycleContext } from './context.ts';
import { failedReasonOf } from './failed-reason.ts';
import { possibleLoss } from './possible-loss.ts';
import { timeOut } from './time-out.ts';

/** After a lost answer: long enough for the upstream to have made up its mind. */
const lookupBackoffSeconds = [2, 5, 15, 30, 60] as const;
const [persistAttemptsMax, persistRetryMs] = [30, 1000];
/** A lease is renewed when a third of it has passed: this long after one was held, it still is. */
const intentTtlMs = (leaseSeconds * 1000 * 2) / 3;

export async function submit(lifecycle: LifecycleContext, job: Job): Promise<void> {
  crashPoint('submit.claimed');
  const task = await findTask(lifecycle.db, job.taskId);
  if (!task || isFinal(task)) throw new LeaseLost(job);
  if (task.secondsLeft <= 0) return await timeOut(lifecycle, { task, job });

  const attempts = await listAttempts(lifecycle.db, task.id);
  const open = attempts.find(({ outcome }) => outcome === null);
  if (open) return await continueAttempt(lifecycle, { task, job, attempt: open });
  const choice = await chooseProvider(lifecycle, task, attempts, { allowRetry: true });
  const { provider, waitSeconds } = choice;
  if (waitSeconds !== null) return await waitForCapacity(lifecycle, { task, job, waitSeconds });
  if (!provider) return await failNoProvider(lifecycle, { task, job, attempts });
  if (isTooLate(task, provider)) return await timeOut(lifecycle, { task, job });
  await callProvider(lifecycle, { task, job, provider, attempt: undefined });
}

/** A provider that would not be done in time is not paid for trying. */
const isTooLate = (task: Task, provider: Provider): boolean =>
  provider.typicalSeconds(task.generation) > task.secondsLeft;

/** An attempt that was begun is brought to its end, by whoever it was begun with. */
async function continueAttempt(
  lifecycle: LifecycleContext,
  { task, job, attempt }: Omit<Submission, 'provider'>,
): Promise<void> {
  const provider = lifecycle.providers.get(attempt.provider, attempt.credential);
  if (!provider) return await abandon(lifecycle, { task, job, attempt });
  // A callback has told what the lost answer would have.
  if (attempt.operation !== null) {
    return await recordAccepted(lifecycle, { task, job, provider, attempt }, attempt.operation);
  }
  if (attempt.unanswered)
    return await recoverLostStart(lifecycle, { task, job, provider, attempt });
  if (isTooLate(task, provider)) return await timeOut(lifecycle, { task, job });
  await callProvider(lifecycle, { task, job, provider, attempt });
}

/** Its provider was taken out of the configuration, and may have the task. */
async function abandon(
  lifecycle: LifecycleContext,
  { task, job, attempt }: Omit<Submission, 'provider'>,
): Promise<void> {
  await lifecycle.settle({
    ...taskRef(task),
    end: 'failed',
    job,
    reason: 'provider_failed',
    attempt: 'abandoned',
    detail: `the provider ${attempt.provider} is no longer configured`,
    loss: possibleLoss(attempt, { cancelResult: null, ended: 'given up' }),
  });
}

/** Nobody has refused it: every provider that may still take it is busy, or being left alone. */
async function waitForCapacity(
  { db }: LifecycleContext,
  { task, job, waitSeconds }: { task: Task; job: Job; waitSeconds: number },
): Promise<void> {
  const delaySeconds = Math.max(0.1, Math.min(waitSeconds, task.secondsLeft));
  await reschedule(db, job, { kind: 'submit', delaySeconds, retry: false });
}

type Submission = {
  readonly task: Task;
  readonly job: Job;
  readonly provider: Provider;
  readonly attempt: Attempt;
};

type NewSubmission = Omit<Submission, 'attempt'> & { readonly attempt: Attempt | undefined };

/** Null when the provider's places have been taken since it was chosen. */
async function writeIntent(
  { db, providers }: LifecycleContext,
  { task, job, provider, attempt: open }: NewSubmission,
): Promise<Attempt | null> {
  const { concurrency } = providers.limitsOf(provider.name);
  return await db.transaction(async (tx) => {
    if (!open && concurrency !== undefined) {
      if (!(await hasCapacity(tx, { provider: provider.name, concurrency }))) return null;
    }
    await markSubmitted(tx, task.id);
    const attempt = open ?? (await openAttempt(tx, newAttempt(task, provider)));
    const { taskId, number } = attempt;
    await setUnanswered(tx, { taskId, number, unanswered: true, detail: null });
    await requireLease(tx, job);
    return attempt;
  });
}

const newAttempt = (task: Task, { name, credential }: Provider) => ({
  taskId: task.id,
  provider: name,
  credential: credential ?? null,
  reference: `vg_${randomBytes(18).toString('base64url')}`,
});

/** The answer to an earlier start was lost. What protects us from paying twice decides. */
async function recoverLostStart(
  lifecycle: LifecycleContext,
  submission: Submission,
): Promise<void> {
  const { task, job, provider, attempt } = submission;
  switch (provider.protection) {
    case 'idempotency-key':
      return await callProvider(lifecycle, submission, { mayHaveAccepted: true });
    case 'look-up': {
      const { reference, secondsSinceLastStart } = attempt;
      const found = await provider.find!(reference, task.generation, secondsSinceLastStart);
      if (found.outcome === 'found') {
        return await applyStartResult(lifecycle, submission, { ...found, outcome: 'accepted' });
      }
      if (found.outcome === 'absent') return await restartSubmission(lifecycle, submission);
      return await retryLookup(lifecycle, { task, job, error: found.detail });
    }
    case 'none':
      // Nobody can tell whether it is being made: it waits for its deadline.
      return await retryLookup(lifecycle, {
        task,
        job,
        error: 'the answer to the submit was lost',
      });
  }
}

/** It has nothing of ours. */
async function restartSubmission(
  lifecycle: LifecycleContext,
  submission: Submission,
): Promise<void> {
  const { task, job, provider, attempt } = submission;
  if (!isTooLate(task, provider)) return await callProvider(lifecycle, submission);
  const { taskId, number } = attempt;
  const update = { taskId, number, unanswered: false, detail: 'the start did not arrive' };
  await lifecycle.db.transaction((tx) => setUnanswered(tx, update));
  await timeOut(lifecycle, { task, job });
}

async function retryLookup(
  { db }: LifecycleContext,
  { task, job, error }: { task: Task; job: Job; error: string },
): Promise<void> {
  const backoffSeconds =
    lookupBackoffSeconds[Math.min(job.attempts, lookupBackoffSeconds.length - 1)]!;
  const delaySeconds = Math.max(0.1, Math.min(backoffSeconds, task.secondsLeft));
  await reschedule(db, job, { kind: 'submit', delaySeconds, retry: true, error });
}

async function callProvider(
  lifecycle: LifecycleContext,
  submission: NewSubmission,
  { mayHaveAccepted = false }: { readonly mayHaveAccepted?: boolean } = {},
): Promise<void> {
  const { task, job, provider } = submission;
  const startedMs = monotonicMs();
  const attempt = await writeIntent(lifecycle, submission);
  if (!attempt) return await waitForCapacity(lifecycle, { task, job, waitSeconds: 0.5 });
  crashPoint('submit.intent-written');
  // A process that hung right here may come back when the task is another's, and paid for.
  if (monotonicMs() - startedMs > intentTtlMs) {
    const detail = 'not asked: too long after the intent was written';
    const notStarted = { outcome: 'throttled', retryAfterSeconds: 1, detail } as const;
    return await applyStartResult(
      lifecycle,
      { ...submission, attempt },
      downgradeToUnknown(notStarted, { mayHaveAccepted }),
    );
  }
  const { providerCallbackBaseUrl } = lifecycle.settings;
  const { reference } = attempt;
  const startResult = await provider
    .start({
      reference,
      taskId: task.id,
      generation: task.generation,
      secondsLeft: task.secondsLeft,
      ...(providerCallbackBaseUrl === null
        ? {}
        : { providerCallbackUrl: `${providerCallbackBaseUrl}/${provider.name}/${reference}` }),
    })
    .catch((error: Error): StartResult => {
      lifecycle.log.error({ taskId: task.id, provider: provider.name, error }, 'submit threw');
      return { outcome: 'unknown', detail: error.message };
    });
  crashPoint('submit.answered');
  await applyStartResult(
    lifecycle,
    { ...submission, attempt },
    downgradeToUnknown(startResult, { mayHaveAccepted }),
  );
}

/**
 * That it does not take the task now says nothing about whether it took it before, when the answer
 * was lost: nobody else may have it then.
 */
function downgradeToUnknown(
  startResult: StartResult,
  { mayHaveAccepted }: { readonly mayHaveAccepted: boolean },
): StartResult {
  const isNotAccepted =
    startResult.outcome === 'throttled' ||
    (startResult.outcome === 'refused' && startResult.canFailOver);
  return mayHaveAccepted && isNotAccepted
    ? { outcome: 'unknown', detail: startResult.detail }
    : startResult;
}

async function applyStartResult(
  lifecycle: LifecycleContext,
  submission: Submission,
  startResult: StartResult,
): Promise<void> {
  const { task, job, attempt } = submission;
  const { log } = lifecycle;
  const attemptRef = { taskId: task.id, number: attempt.number };
  switch (startResult.outcome) {
    case 'accepted':
      return await recordAccepted(lifecycle, submission, startResult.operation);
    case 'throttled':
      return await recordThrottled(lifecycle, submission, startResult);
    case 'unknown':
      log.warn(
        { ...attemptRef, provider: attempt.provider, detail: startResult.detail },
        'submit not answered',
      );
      return await retryLookup(lifecycle, { task, job, error: startResult.detail });
    case 'refused':
      return await recordRefused(lifecycle, submission, startResult);
  }
}

/**
 * Proof that nothing was created: another may have it, and only the last of a route is waited for.
 */
async function recordThrottled(
  lifecycle: LifecycleContext,
  { task, job, attempt }: Submission,
  { retryAfterSeconds, detail }: StartResult & { readonly outcome: 'throttled' },
): Promise<void> {
  const attempts = await listAttempts(lifecycle.db, task.id);
  // The two would send it to each other: who has been asked before is not asked instead.
  const choice = await chooseProvider(lifecycle, task, attempts, { allowRetry: false });
  const another = choice.provider;
  const delaySeconds = another ? 0 : Math.min(retryAfterSeconds, Math.max(0.1, task.secondsLeft));
  await lifecycle.db.transaction(async (tx) => {
    // The job before the attempt, as settling does it: two orders would be a deadlock.
    await reschedule(tx, job, { kind: 'submit', delaySeconds, retry: !another, error: detail });
    if (another) return await closeAttempt(tx, { taskId: task.id, outcome: 'throttled', detail });
    const { taskId, number } = attempt;
    await setUnanswered(tx, { taskId, number, unanswered: false, detail });
  });
}

async function recordAccepted(
  lifecycle: LifecycleContext,
  { task, job, provider, attempt }: Submission,
  operation: string,
): Promise<void> {
  const attemptRef = { taskId: task.id, number: attempt.number };
  try {
    await lifecycle.db.transaction(async (tx) => {
      await moveToGenerating(tx, task.id);
      await recordOperation(tx, { ...attemptRef, operation });
      await reschedule(tx, job, { kind: 'poll', delaySeconds: 0, retry: false });
      await notifyTaskChanges(tx, [task.id]);
    });
  } catch (error) {
    // The handle must not be lost, or nobody can look at what is being paid for.
    if (!(error instanceof LeaseLost))
      await persistOperation(lifecycle, { ...attemptRef, operation });
    // The task ended, or another worker has it, while we were asking.
    else await abandonOperation(lifecycle, { ...attemptRef, provider, operation });
    throw error;
  }
  crashPoint('submit.after-commit');
}

/** The database could not be written to: it is tried for as long as a restart of it may take. */
async function persistOperation(
  { db, log }: LifecycleContext,
  attempt: { taskId: string; number: number; operation: string },
): Promise<void> {
  for (let attemptsMade = 1; attemptsMade <= persistAttemptsMax; attemptsMade++) {
    try {
      await db.transaction((tx) => recordOperation(tx, attempt));
      return;
    } catch (error) {
      log.warn({ ...attempt, error }, 'the operation could not be kept yet');
      await sleep(persistRetryMs);
    }
  }
  log.error(attempt, 'the operation was not kept');
}

async function recordRefused(
  lifecycle: LifecycleContext,
  { task, job, provider }: Submission,
  startResult: ProviderFailure & { readonly canFailOver: boolean },
): Promise<void> {
  lifecycle.log.warn(
    { taskId: task.id, provider: provider.name, detail: startResult.detail },
    'refused',
  );
  if (startResult.canFailOver) {
    return await lifecycle.db.transaction(async (tx) => {
      await reschedule(tx, job, { kind: 'submit', delaySeconds: 0, retry: false });
      await closeAttempt(tx, { taskId: task.id, outcome: 'refused', detail: startResult.detail });
    });
  }
  await lifecycle.settle({
    ...taskRef(task),
    end: 'failed',
    job,
    reason: failedReasonOf(startResult),
    rejectedPart: startResult.rejectedPart,
    attempt: 'refused',
    detail: startResult.detail,
  });
}

/** Every provider of the route has refused, or there is none any more. */
async function failNoProvider(
  lifecycle: LifecycleContext,
  { task, job, attempts }: { task: Task; job: Job; attempts: readonly Attempt[] },
): Promise<void> {
  const detail = attempts.at(-1)?.detail ?? `no provider serves ${task.model}`;
  lifecycle.log.error({ taskId: task.id, detail }, 'no provider takes this task');
  await lifecycle.settle({
    ...taskRef(task),
    end: 'failed',
    job,
    reason: 'provider_failed',
    attempt: 'refused',
    detail,
  });
}
