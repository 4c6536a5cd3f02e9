/**
 * Polls a generation at its provider: reschedules the poll, collects the result, or fails the task,
 * as `poll-decision.ts` decides. A status that is not understood counts as still running and raises
 * an alert; only the deadline ends such a task. The last poll is made at the deadline: a video that
 * is finished then is delivered.
 */
import { monotonicMs, nowMs, startDeadline } from '../process/clock.ts';
import { crashPoint } from '../process/crash-point.ts';
import type { Cost } from '../providers/costs.ts';
import type { Provider, StatusResult } from '../providers/provider.ts';
import { readWaitMsMax } from '../providers/toolkit/client.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { type NextRun, reschedule } from '../queue/outcome.ts';
import { type Attempt, type AttemptOutcome, incrementCollectFailures } from '../tasks/attempts.ts';
import { recordProgress } from '../tasks/store.ts';
import { isFinal, type Task, taskRef } from '../tasks/task.ts';
import { cancelIfRequested } from './cancel.ts';
import { collect, deleteResultFiles } from './collect.ts';
import type { LifecycleContext } from './context.ts';
import { createProgressReporter } from './poll/progress.ts';
import {
  decideFailure,
  decidePoll,
  decideUncollected,
  errorBackoff,
  type Failure,
  lastCollectSeconds,
  type PollAction,
  type PollFacts,
  tookSeconds,
} from './poll-decision.ts';
import { failedReasonOf, submitAgain } from './record-start.ts';
import { attemptCost } from './settle/attempt-cost.ts';
import { possibleLoss, timeOut, unpricedLength } from './settle/possible-loss.ts';
import { releaseAttemptToOtherProcess } from './submit/release-to-other-process.ts';

/**
 * How long a poll may take that is under way at the deadline, or is made then, once it has its turn
 * within the rate limit.
 */
const lastPollMs = 15_000 + readWaitMsMax;

type PollContext = {
  readonly task: Task;
  readonly job: Job;
  readonly attempt: Attempt & { readonly operation: string };
  readonly provider: Provider;
  readonly lease: AbortSignal;
  /** The deadline of the task on the monotonic clock. */
  readonly deadlineMs: number;
};

export async function poll(
  lifecycle: LifecycleContext,
  job: Job,
  lease: AbortSignal,
): Promise<void> {
  crashPoint('poll.claimed');
  const { task, attempt } = await lifecycle.polls.find(job.taskId);
  if (!task || isFinal(task)) throw new LeaseLost(job);
  if (attempt && (await releaseAttemptToOtherProcess(lifecycle, { task, job }, attempt))) return;
  const provider = attempt && lifecycle.providers.get(attempt.provider, attempt.credential);
  if (!attempt?.operation || !provider) {
    const detail = `the provider ${attempt?.provider ?? '(none)'} is no longer configured`;
    const loss = possibleLoss(attempt, { cancelResult: null, ended: 'given up' });
    const cost = attemptCost(lifecycle, { task, attempt, outcome: 'abandoned' });
    const end = { attempt: 'abandoned', loss, cost } as const;
    return await fail(lifecycle, { task, job }, { reason: 'failed', detail }, end);
  }
  const { operation } = attempt;
  if (await cancelIfRequested(lifecycle, { task, job }, { ...attempt, operation })) return;
  if (task.secondsLeft <= 0 && provider.generatesDuringPoll) {
    return await timeOut(lifecycle, { task, job });
  }
  const deadlineMs = monotonicMs() + task.secondsLeft * 1000;
  const context = { task, job, attempt: { ...attempt, operation }, provider, lease, deadlineMs };
  const status = await pollProvider(lifecycle, context);
  crashPoint('poll.response');
  if (lease.aborted) await deleteResultFiles(status);
  if (status.outcome === 'pending') logAlert(lifecycle, context, status);
  const facts = factsOf(lifecycle, context);
  if (status.outcome === 'completed') learnTime(lifecycle, context, facts);
  await perform(lifecycle, context, decidePoll(facts, status), status);
}

function learnTime(
  { usualTimes }: LifecycleContext,
  { task, attempt, provider }: PollContext,
  { usualSeconds }: PollFacts,
): void {
  const { secondsSinceAccepted, collectFailures } = attempt;
  // One that could not be fetched ended long before this poll.
  if (secondsSinceAccepted === null || collectFailures > 0 || provider.generatesDuringPoll) return;
  const seconds = tookSeconds({ ageSeconds: secondsSinceAccepted, usualSeconds });
  usualTimes.record({ provider: provider.name, task }, seconds);
}

function factsOf(
  { usualTimes }: LifecycleContext,
  { task, job, attempt, provider, lease, deadlineMs }: PollContext,
): PollFacts {
  return {
    secondsLeft: { before: task.secondsLeft, now: (deadlineMs - monotonicMs()) / 1000 },
    isLeaseLost: lease.aborted,
    generatesDuringPoll: provider.generatesDuringPoll ?? false,
    usualSeconds: usualTimes.seconds({ provider: provider.name, task }),
    attempt,
    retries: job.attempts,
    random: Math.random(),
  };
}

async function perform(
  lifecycle: LifecycleContext,
  context: PollContext,
  action: PollAction,
  status?: StatusResult,
): Promise<void> {
  const { task, job } = context;
  switch (action.action) {
    case 'stop':
      throw new LeaseLost(job);
    case 'time-out':
      return await timeOut(lifecycle, { task, job });
    case 'poll-again': {
      const progress = status?.outcome === 'pending' ? status.progress : undefined;
      return await pollAgain(lifecycle, context, { next: action.next, progress });
    }
    case 'collect':
      return await collectResult(lifecycle, context, action.status);
    case 'fail':
      return await failUnlessCancelled(lifecycle, context, action);
  }
}

async function pollProvider(
  lifecycle: LifecycleContext,
  context: PollContext,
): Promise<StatusResult> {
  const { task, job, attempt, provider, lease, deadlineMs } = context;
  const graceMs = provider.generatesDuringPoll ? 0 : lastPollMs;
  const leftMs = Math.max(0, deadlineMs - monotonicMs());
  using deadline = startDeadline(Math.ceil(leftMs + graceMs), [lease]);
  const progress = createProgressReporter(lifecycle, { task, job, lease });
  const startMs = nowMs();
  const status = await provider
    .status({
      operation: attempt.operation,
      reference: attempt.reference,
      accountId: task.accountId,
      taskId: task.id,
      generation: task.generation,
      pricedSeconds: task.pricedSeconds,
      signal: deadline.signal,
      ageSeconds: attempt.secondsSinceAccepted ?? 0,
      isLast: task.secondsLeft <= 0,
      onProgress: progress.report,
    })
    .catch((error: Error): StatusResult => {
      const pollAfterSeconds = errorBackoff({ retries: job.attempts, random: Math.random() });
      return { outcome: 'pending', pollAfterSeconds, alert: error.message };
    });
  await progress.settled();
  lifecycle.traces?.add({
    taskId: task.id,
    name: 'poll',
    kind: 'client',
    startMs,
    endMs: nowMs(),
    isError: status.outcome === 'failed' || status.outcome === 'lost',
    attributes: { model: task.model, provider: provider.name, outcome: status.outcome },
  });
  return status;
}

function logAlert(
  { log }: LifecycleContext,
  { task, attempt, provider }: PollContext,
  { alert }: StatusResult & { outcome: 'pending' },
): void {
  if (alert === undefined) return;
  const logFields = { taskId: task.id, provider: provider.name, operation: attempt.operation };
  log.warn({ ...logFields, alert }, 'unexpected provider status');
}

async function pollAgain(
  { db, polls }: LifecycleContext,
  { task, job }: PollContext,
  { next, progress }: { readonly next: NextRun; readonly progress: number | undefined },
): Promise<void> {
  if (progress === undefined || progress === task.progress) {
    return await polls.reschedule(job, next);
  }
  await db.transaction(async (tx) => {
    await recordProgress(tx, task.id, progress);
    await reschedule(tx, job, next);
  });
}

async function collectResult(
  lifecycle: LifecycleContext,
  context: PollContext,
  status: StatusResult & { outcome: 'completed' },
): Promise<void> {
  const { task, job, attempt, lease } = context;
  const leftSeconds = factsOf(lifecycle, context).secondsLeft.now;
  const collectMs = (Math.max(0, leftSeconds) + lastCollectSeconds) * 1000;
  using deadline = startDeadline(collectMs, [lease]);
  const startMs = nowMs();
  const { signal } = deadline;
  const collected = await collect(lifecycle, { task, attempt, status, signal });
  lifecycle.traces?.add({
    taskId: task.id,
    name: 'collect',
    startMs,
    endMs: nowMs(),
    isError: collected.outcome === 'failed',
    attributes: { provider: attempt.provider, outcome: collected.outcome },
  });
  if (collected.outcome === 'collected') {
    const { result, seconds } = collected;
    const outputSeconds = Math.max(seconds ?? 0, status.outputSeconds ?? 0) || undefined;
    const loss = unpricedLength(task, outputSeconds);
    const end = 'completed';
    const cost = attemptCost(lifecycle, { task, attempt, outcome: end, reported: status.cost });
    await lifecycle.settle({ ...taskRef(task), job, end, result, outputSeconds, loss, cost });
    return;
  }
  const isCounted = !collected.isLocalFailure && !lease.aborted;
  const collectFailures = isCounted ? await incrementCollectFailures(lifecycle.db, attempt) : 0;
  const facts = { ...factsOf(lifecycle, context), wasPastDeadline: leftSeconds <= 0 };
  const action = decideUncollected(facts, { ...collected, collectFailures });
  if (action.action !== 'fail') return await perform(lifecycle, context, action);
  const loss = 'completed at the provider, and its video could not be fetched';
  // The provider completed it, and bills that.
  const cost = attemptCost(lifecycle, {
    task,
    attempt,
    outcome: 'completed',
    reported: status.cost,
  });
  await fail(lifecycle, { task, job }, action.failure, { attempt: 'failed', loss, cost });
}

async function failUnlessCancelled(
  lifecycle: LifecycleContext,
  context: PollContext,
  { failure, outcome }: PollAction & { action: 'fail' },
): Promise<void> {
  const { task, job } = context;
  const { attempt } = await lifecycle.polls.find(task.id);
  const action = decideFailure(factsOf(lifecycle, context), failure, attempt);
  const { detail, cost: reported } = failure;
  switch (action.action) {
    case 'fail-over':
      return await submitAgain(lifecycle, { task, job }, { outcome: 'refused', detail });
    case 'fail':
      return await fail(lifecycle, { task, job }, failure, {
        attempt: outcome,
        cost: attemptCost(lifecycle, { task, attempt, outcome, reported }),
      });
    case 'poll-again':
      return await lifecycle.polls.reschedule(job, action.next);
    case 'cancelled': {
      const end = { end: 'failed', reason: 'cancelled', attempt: 'cancelled' } as const;
      const cost = attemptCost(lifecycle, { task, attempt, outcome: end.attempt, reported });
      await lifecycle.settle({ ...taskRef(task), job, ...end, detail, cost });
    }
  }
}

async function fail(
  lifecycle: LifecycleContext,
  { task, job }: { task: Task; job: Job },
  failure: Failure,
  end: {
    readonly attempt: AttemptOutcome;
    readonly loss?: string | undefined;
    readonly cost: Cost | null;
  },
): Promise<void> {
  const { detail, rejectedPart } = failure;
  const logFields = { taskId: task.id, reason: failure.reason, detail, loss: end.loss };
  lifecycle.log.info(logFields, 'generation failed');
  await lifecycle.settle({
    ...taskRef(task),
    job,
    end: 'failed',
    reason: failedReasonOf(failure),
    rejectedPart,
    detail,
    ...end,
  });
}
