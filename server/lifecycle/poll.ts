/**
 * Polls a generation at its provider: reschedules the poll, collects the result, or fails the task.
 * A status that is not understood counts as still running and raises an alert; only the deadline
 * ends such a task.
 */
import { timeoutSignal } from '../clock.ts';
import { crashPoint } from '../crash-point.ts';
import type { Provider, StatusResult } from '../providers/provider.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { reschedule } from '../queue/outcome.ts';
import { type Attempt, type AttemptOutcome, incrementCollectFailures } from '../tasks/attempts.ts';
import { recordProgress } from '../tasks/store.ts';
import { isFinal, type Task, taskRef } from '../tasks/task.ts';
import { cancelTimeoutSeconds } from './cancel.ts';
import { collect, deleteResultFiles } from './collect.ts';
import type { LifecycleContext } from './context.ts';
import { failedReasonOf } from './failed-reason.ts';
import { nextPollDelaySeconds } from './poll-delay.ts';
import { possibleLoss } from './possible-loss.ts';
import { createProgressReporter } from './progress.ts';
import { failOver } from './record-start.ts';
import { timeOut } from './time-out.ts';

const errorBackoffSeconds = [1, 2, 5, 10, 30] as const;
/**
 * After this long, a failure is no longer attributed to a cancellation that the provider did not
 * confirm.
 */
const cancelMemorySeconds = 300;
const cancelPollSeconds = 5;
/** A finished video that cannot be fetched this often counts as a failure of the provider. */
const collectAttemptsMax = 8;

export async function poll(
  lifecycle: LifecycleContext,
  job: Job,
  lease: AbortSignal,
): Promise<void> {
  crashPoint('poll.claimed');
  const { task, attempt } = await lifecycle.polls.find(job.taskId);
  if (!task || isFinal(task)) throw new LeaseLost(job);
  if (task.secondsLeft <= 0) return await timeOut(lifecycle, { task, job });
  const provider = attempt && lifecycle.providers.get(attempt.provider, attempt.credential);
  if (!attempt?.operation || !provider) {
    const detail = `the provider ${attempt?.provider ?? '(none)'} is no longer configured`;
    const loss = possibleLoss(attempt, { cancelResult: null, ended: 'given up' });
    const end = { attempt: 'abandoned', loss } as const;
    return await fail(lifecycle, { task, job }, { reason: 'failed', detail }, end);
  }

  const deadline = timeoutSignal(Math.ceil(task.secondsLeft * 1000));
  const signal = AbortSignal.any([lease, deadline]);
  const { operation, reference } = attempt;
  const progress = createProgressReporter(lifecycle, { task, job, lease });
  const status = await provider
    .status({
      operation,
      reference,
      accountId: task.accountId,
      taskId: task.id,
      generation: task.generation,
      pricedSeconds: task.pricedSeconds,
      signal,
      onProgress: progress.report,
    })
    .catch((error: Error): StatusResult => {
      const pollAfterSeconds = errorBackoff(job);
      return { outcome: 'pending', pollAfterSeconds, alert: error.message };
    });
  await progress.settled();
  crashPoint('poll.answered');
  if (lease.aborted) {
    await deleteResultFiles(status);
    throw new LeaseLost(job);
  }
  if (deadline.aborted && status.outcome !== 'completed') {
    return await timeOut(lifecycle, { task, job });
  }
  await handleStatus(lifecycle, { task, job, attempt, provider, lease, signal }, status);
}

type PollContext = {
  readonly task: Task;
  readonly job: Job;
  readonly attempt: Attempt;
  readonly provider: Provider;
  readonly lease: AbortSignal;
  /** Fires when the lease is lost or the task's deadline has passed. */
  readonly signal: AbortSignal;
};

async function handleStatus(
  lifecycle: LifecycleContext,
  context: PollContext,
  status: StatusResult,
): Promise<void> {
  switch (status.outcome) {
    case 'pending':
      return await reschedulePoll(lifecycle, context, status);
    case 'completed':
      return await complete(lifecycle, context, status);
    case 'failed':
      return await failUnlessCancelling(lifecycle, context, status, 'failed');
    case 'lost':
      return await failUnlessCancelling(
        lifecycle,
        context,
        { ...status, reason: 'failed' },
        'lost',
      );
  }
}

async function reschedulePoll(
  { db, log, polls }: LifecycleContext,
  { task, job, attempt, provider }: PollContext,
  status: StatusResult & { outcome: 'pending' },
): Promise<void> {
  if (status.alert) {
    const { operation } = attempt;
    const logFields = { taskId: task.id, provider: provider.name, operation };
    log.warn({ ...logFields, alert: status.alert }, 'unexpected provider status');
  }
  const seconds = nextPollDelaySeconds({
    status,
    ageSeconds: attempt.secondsSinceAccepted ?? 0,
    typicalSeconds: provider.typicalSeconds(task.generation),
    random: Math.random(),
  });
  const delaySeconds = Math.max(0.05, Math.min(seconds, task.secondsLeft));
  const next = { kind: 'poll', delaySeconds, retry: status.alert !== undefined } as const;
  const { progress } = status;
  if (progress === undefined || progress === task.progress)
    return await polls.reschedule(job, next);
  await db.transaction(async (tx) => {
    await recordProgress(tx, task.id, progress);
    await reschedule(tx, job, next);
  });
}

async function complete(
  lifecycle: LifecycleContext,
  { task, job, attempt, lease, signal }: PollContext,
  status: StatusResult & { outcome: 'completed' },
): Promise<void> {
  const collected = await collect(lifecycle, { task, attempt, status, signal });
  // The worker that has the lease now collects the result; stopping early says nothing about the
  // provider.
  if (collected.outcome === 'failed' && lease.aborted) throw new LeaseLost(job);
  if (collected.outcome === 'collected') {
    const { outputSeconds } = status;
    const { result } = collected;
    const end = 'completed';
    await lifecycle.settle({ ...taskRef(task), job, end, result, outputSeconds });
    return;
  }
  const { detail, isLocalFailure } = collected;
  // A result that cannot be stored here is paid for and still available: only the deadline ends the
  // retries.
  if (
    isLocalFailure ||
    (await incrementCollectFailures(lifecycle.db, attempt)) < collectAttemptsMax
  ) {
    const delaySeconds = Math.max(0.05, Math.min(errorBackoff(job), task.secondsLeft));
    const next = { kind: 'poll', delaySeconds, retry: true, error: detail } as const;
    return await lifecycle.polls.reschedule(job, next);
  }
  const loss = 'completed at the provider, and its video could not be fetched';
  await fail(lifecycle, { task, job }, { reason: 'failed', detail }, { attempt: 'failed', loss });
}

/**
 * While a cancellation is under way, the end of the generation is its effect, and the cancellation
 * ends the task.
 */
async function failUnlessCancelling(
  lifecycle: LifecycleContext,
  { task, job }: PollContext,
  failure: Parameters<typeof failedReasonOf>[0] & { readonly canFailOver?: true },
  outcome: 'failed' | 'lost',
): Promise<void> {
  // Read again: the cancellation may have begun after the provider was polled.
  const { attempt } = await lifecycle.polls.find(task.id);
  const seconds = attempt?.secondsSinceCancelRequested ?? null;
  if (seconds === null && failure.canFailOver) {
    return await failOver(lifecycle, { task, job }, failure.detail);
  }
  if (seconds === null || seconds > cancelMemorySeconds) {
    return await fail(lifecycle, { task, job }, failure, { attempt: outcome });
  }
  if (seconds < cancelTimeoutSeconds) {
    const delaySeconds = Math.max(0.05, Math.min(cancelPollSeconds, task.secondsLeft));
    return await lifecycle.polls.reschedule(job, { kind: 'poll', delaySeconds, retry: false });
  }
  await lifecycle.settle({
    ...taskRef(task),
    job,
    end: 'failed',
    reason: 'cancelled',
    attempt: 'cancelled',
    detail: failure.detail,
  });
}

async function fail(
  lifecycle: LifecycleContext,
  { task, job }: { task: Task; job: Job },
  failure: Parameters<typeof failedReasonOf>[0],
  { attempt, loss }: { attempt: AttemptOutcome; loss?: string | undefined },
): Promise<void> {
  const { detail, rejectedPart } = failure;
  const logFields = { taskId: task.id, reason: failure.reason, detail, loss };
  lifecycle.log.info(logFields, 'generation failed');
  await lifecycle.settle({
    ...taskRef(task),
    job,
    end: 'failed',
    reason: failedReasonOf(failure),
    rejectedPart,
    attempt,
    detail,
    loss,
  });
}

const errorBackoff = ({ attempts }: Job): number =>
  errorBackoffSeconds[Math.min(attempts, errorBackoffSeconds.length - 1)]!;
