/**
 * Polls a generation at its provider: reschedules the poll, collects the result, or fails the task.
 * A status that is not understood counts as still running and raises an alert; only the deadline
 * ends such a task. The last poll is made at the deadline: a video that is finished then is
 * delivered.
 */
import { monotonicMs, nowMs, startDeadline } from '../clock.ts';
import { crashPoint } from '../crash-point.ts';
import type { Provider, StatusResult } from '../providers/provider.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { reschedule } from '../queue/outcome.ts';
import { type Attempt, type AttemptOutcome, incrementCollectFailures } from '../tasks/attempts.ts';
import { recordProgress } from '../tasks/store.ts';
import { isFinal, type Task, taskRef } from '../tasks/task.ts';
import { cancelIfWanted, cancelTimeoutSeconds } from './cancel.ts';
import { collect, deleteResultFiles } from './collect.ts';
import type { LifecycleContext } from './context.ts';
import { failedReasonOf } from './failed-reason.ts';
import { handOverAttempt } from './hand-over.ts';
import { delayWithinDeadline, nextPollDelaySeconds } from './poll-delay.ts';
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
/** Polls are frequent after a cancellation that the provider did not confirm, for a short time. */
const [unconfirmedPollSeconds, unconfirmedSecondsMax] = [1, 30];
/** A finished video that cannot be fetched this often counts as a failure of the provider. */
const collectAttemptsMax = 8;
/** How long a poll may take that is under way at the deadline, or is made then. */
const lastPollMs = 15_000;
/**
 * How long a video that was finished at the deadline may take to fetch, and how long after the
 * deadline the fetch is begun again when it fails.
 */
const lastCollectMs = 60_000;
const lastCollectRetrySecondsMax = 5;

export async function poll(
  lifecycle: LifecycleContext,
  job: Job,
  lease: AbortSignal,
): Promise<void> {
  crashPoint('poll.claimed');
  const { task, attempt } = await lifecycle.polls.find(job.taskId);
  if (!task || isFinal(task)) throw new LeaseLost(job);
  if (attempt && (await handOverAttempt(lifecycle, { task, job }, attempt))) return;
  const provider = attempt && lifecycle.providers.get(attempt.provider, attempt.credential);
  if (!attempt?.operation || !provider) {
    const detail = `the provider ${attempt?.provider ?? '(none)'} is no longer configured`;
    const loss = possibleLoss(attempt, { cancelResult: null, ended: 'given up' });
    const end = { attempt: 'abandoned', loss } as const;
    return await fail(lifecycle, { task, job }, { reason: 'failed', detail }, end);
  }

  const { operation } = attempt;
  if (await cancelIfWanted(lifecycle, { task, job }, { ...attempt, operation })) return;
  const deadlineMs = monotonicMs() + task.secondsLeft * 1000;
  const context = { task, job, attempt: { ...attempt, operation }, provider, lease, deadlineMs };
  const isPastDeadline = task.secondsLeft <= 0;
  if (isPastDeadline && provider.generatesDuringPoll) {
    return await timeOut(lifecycle, { task, job });
  }
  const startMs = nowMs();
  const status = await pollProvider(lifecycle, context);
  lifecycle.traces?.add({
    ...{ taskId: task.id, name: 'poll', kind: 'client', startMs, endMs: nowMs() },
    isError: status.outcome === 'failed' || status.outcome === 'lost',
    attributes: { model: task.model, provider: provider.name, outcome: status.outcome },
  });
  crashPoint('poll.answered');
  if (lease.aborted) {
    await deleteResultFiles(status);
    throw new LeaseLost(job);
  }
  // A poll that began before the deadline is followed by one at the deadline.
  const isLast = isPastDeadline || (provider.generatesDuringPoll && hasPassed(context));
  if (isLast && status.outcome === 'pending') {
    // Its video is finished and was not fetched: this poll says nothing about that.
    if (attempt.collectFailures > 0 && canCollectLate(context)) {
      return await lifecycle.polls.reschedule(job, nextLateCollect(job, 'not fetched yet'));
    }
    return await timeOut(lifecycle, { task, job });
  }
  await handleStatus(lifecycle, context, status);
}

type PollContext = {
  readonly task: Task;
  readonly job: Job;
  readonly attempt: Attempt & { readonly operation: string };
  readonly provider: Provider;
  readonly lease: AbortSignal;
  /** The deadline of the task on the monotonic clock. */
  readonly deadlineMs: number;
};

const hasPassed = ({ deadlineMs }: PollContext): boolean => monotonicMs() >= deadlineMs;
/** Not where a poll generates: it would begin from the start. */
const canCollectLate = ({ deadlineMs, provider }: PollContext): boolean =>
  !provider.generatesDuringPoll && monotonicMs() < deadlineMs + lastCollectMs;
const nextLateCollect = (job: Job, error: string) => {
  const delaySeconds = Math.min(errorBackoff(job), lastCollectRetrySecondsMax);
  return { kind: 'poll', delaySeconds, retry: true, error } as const;
};
const msLeft = ({ deadlineMs }: PollContext): number => Math.max(0, deadlineMs - monotonicMs());

async function pollProvider(
  lifecycle: LifecycleContext,
  context: PollContext,
): Promise<StatusResult> {
  const { task, job, attempt, provider, lease } = context;
  const graceMs = provider.generatesDuringPoll ? 0 : lastPollMs;
  using deadline = startDeadline(Math.ceil(msLeft(context) + graceMs), [lease]);
  const progress = createProgressReporter(lifecycle, { task, job, lease });
  const status = await provider
    .status({
      operation: attempt.operation,
      reference: attempt.reference,
      accountId: task.accountId,
      taskId: task.id,
      generation: task.generation,
      pricedSeconds: task.pricedSeconds,
      signal: deadline.signal,
      onProgress: progress.report,
    })
    .catch((error: Error): StatusResult => {
      const pollAfterSeconds = errorBackoff(job);
      return { outcome: 'pending', pollAfterSeconds, alert: error.message };
    });
  await progress.settled();
  return status;
}

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
  context: PollContext,
  status: StatusResult & { outcome: 'pending' },
): Promise<void> {
  const { task, job, attempt, provider } = context;
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
  const delaySeconds = delayWithinDeadline(
    isCancelRecent(attempt) ? Math.min(seconds, unconfirmedPollSeconds) : seconds,
    msLeft(context) / 1000,
  );
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
  context: PollContext,
  status: StatusResult & { outcome: 'completed' },
): Promise<void> {
  const { task, job, attempt, lease } = context;
  const isPastDeadline = hasPassed(context);
  using deadline = startDeadline(msLeft(context) + lastCollectMs, [lease]);
  const { signal } = deadline;
  const startMs = nowMs();
  const collected = await collect(lifecycle, { task, attempt, status, signal });
  lifecycle.traces?.add({
    ...{ taskId: task.id, name: 'collect', startMs, endMs: nowMs() },
    isError: collected.outcome === 'failed',
    attributes: { provider: attempt.provider, outcome: collected.outcome },
  });
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
    if (isPastDeadline && canCollectLate(context)) {
      return await lifecycle.polls.reschedule(job, nextLateCollect(job, detail));
    }
    if (isPastDeadline) return await timeOut(lifecycle, { task, job });
    const delaySeconds = delayWithinDeadline(errorBackoff(job), msLeft(context) / 1000);
    const next = { kind: 'poll', delaySeconds, retry: true, error: detail } as const;
    return await lifecycle.polls.reschedule(job, next);
  }
  const loss = 'completed at the provider, and its video could not be fetched';
  await fail(lifecycle, { task, job }, { reason: 'failed', detail }, { attempt: 'failed', loss });
}

/**
 * While a cancellation is under way, the end of the generation is its effect, and the cancellation
 * ends the task. After one that the provider did not confirm, the end confirms it.
 */
async function failUnlessCancelling(
  lifecycle: LifecycleContext,
  context: PollContext,
  failure: Parameters<typeof failedReasonOf>[0] & { readonly canFailOver?: true },
  outcome: 'failed' | 'lost',
): Promise<void> {
  const { task, job } = context;
  // Read again: the cancellation may have begun after the provider was polled.
  const { attempt } = await lifecycle.polls.find(task.id);
  const seconds = attempt?.secondsSinceCancelRequested ?? null;
  const wasAsked = (attempt?.secondsSinceCancelUnconfirmed ?? null) !== null;
  if (seconds === null && !wasAsked && failure.canFailOver) {
    return await failOver(lifecycle, { task, job }, failure.detail);
  }
  const isOurCancel = wasAsked && failure.reason === 'failed';
  if (!isOurCancel && (seconds === null || seconds > cancelMemorySeconds)) {
    return await fail(lifecycle, { task, job }, failure, { attempt: outcome });
  }
  if (seconds !== null && seconds < cancelTimeoutSeconds) {
    const delaySeconds = delayWithinDeadline(cancelPollSeconds, msLeft(context) / 1000);
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

const isCancelRecent = ({ secondsSinceCancelUnconfirmed: seconds }: Attempt): boolean =>
  seconds !== null && seconds < unconfirmedSecondsMax;

const errorBackoff = ({ attempts }: Job): number =>
  errorBackoffSeconds[Math.min(attempts, errorBackoffSeconds.length - 1)]!;
