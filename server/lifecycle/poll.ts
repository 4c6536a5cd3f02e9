/**
 * Asks the provider how a generation is doing: wait longer, collect, or give up. An answer we do
 * not understand is "still running" and an alert, never a failure: only the deadline ends such a
 * task.
 */
import { timeoutSignal } from '../clock.ts';
import { crashPoint } from '../crash-point.ts';
import type { Provider, StatusAnswer } from '../providers/provider.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { goOn } from '../queue/queue.ts';
import { type Attempt, countUncollected } from '../tasks/attempts.ts';
import { recordProgress } from '../tasks/rows.ts';
import { isFinal, type Task } from '../tasks/task.ts';
import { stopSecondsMax } from './cancel.ts';
import { collect, dropFiles } from './collect.ts';
import type { Lifecycle, PolledFailure } from './context.ts';
import { nextLookSeconds } from './next-look.ts';
import { possibleLoss } from './possible-loss.ts';
import { keepProgress } from './progress.ts';
import { failedReasonOf, ofTask } from './settle.ts';
import { timeOut } from './time-out.ts';

const troubleSeconds = [1, 2, 5, 10, 30] as const;
/**
 * A provider that was to stop something and went on may fail for reasons of its own, much later.
 */
const stopSecondsRemembered = 300;
const stoppingLookSeconds = 5;
/** A finished video that cannot be fetched this often is a failure of the provider. */
const collectTriesMax = 8;

export async function poll(lifecycle: Lifecycle, job: Job, lease: AbortSignal): Promise<void> {
  crashPoint('poll.claimed');
  const { task, attempt } = await lifecycle.together.find(job.taskId);
  if (!task || isFinal(task)) throw new LeaseLost(job);
  if (task.secondsLeft <= 0) return await timeOut(lifecycle, { task, job });
  const provider = attempt && lifecycle.providers.get(attempt.provider, attempt.credential);
  if (!attempt?.operation || !provider) {
    const detail = `the provider ${attempt?.provider ?? '(none)'} is no longer configured`;
    const loss = possibleLoss(attempt, { stopped: null, ended: 'given up' });
    const end = { attempt: 'abandoned', loss } as const;
    return await fail(lifecycle, { task, job }, { reason: 'failed', detail }, end);
  }

  const deadline = timeoutSignal(Math.ceil(task.secondsLeft * 1000));
  const signal = AbortSignal.any([lease, deadline]);
  const { operation, reference } = attempt;
  const progress = keepProgress(lifecycle, { task, job, lease });
  const answer = await provider
    .status({
      operation,
      reference,
      accountId: task.accountId,
      taskId: task.id,
      generation: task.generation,
      signal,
      onProgress: progress.report,
    })
    .catch((error: Error): StatusAnswer => {
      const askAgainSeconds = waitAfterTrouble(job);
      return { outcome: 'pending', askAgainSeconds, alert: error.message };
    });
  await progress.settled();
  crashPoint('poll.answered');
  if (lease.aborted) {
    await dropFiles(answer);
    throw new LeaseLost(job);
  }
  if (deadline.aborted && answer.outcome !== 'completed') {
    return await timeOut(lifecycle, { task, job });
  }
  await act(lifecycle, { task, job, attempt, provider, lease, signal }, answer);
}

type Asked = {
  readonly task: Task;
  readonly job: Job;
  readonly attempt: Attempt;
  readonly provider: Provider;
  readonly lease: AbortSignal;
  /** Fires when the lease is lost or the task's time is up. */
  readonly signal: AbortSignal;
};

async function act(lifecycle: Lifecycle, asked: Asked, answer: StatusAnswer): Promise<void> {
  switch (answer.outcome) {
    case 'pending':
      return await wait(lifecycle, asked, answer);
    case 'completed':
      return await complete(lifecycle, asked, answer);
    case 'failed':
      return await endWithoutVideo(lifecycle, asked, answer, 'failed');
    case 'lost':
      return await endWithoutVideo(lifecycle, asked, { ...answer, reason: 'failed' }, 'lost');
  }
}

async function wait(
  { db, log, together }: Lifecycle,
  { task, job, attempt, provider }: Asked,
  answer: StatusAnswer & { outcome: 'pending' },
): Promise<void> {
  if (answer.alert) {
    const { operation } = attempt;
    const about = { taskId: task.id, provider: provider.name, operation };
    log.warn({ ...about, alert: answer.alert }, 'odd status');
  }
  const seconds = nextLookSeconds({
    answer,
    ageSeconds: attempt.secondsSinceAccepted ?? 0,
    usualSeconds: provider.usualSeconds(task.generation),
    chance: Math.random(),
  });
  const delaySeconds = Math.max(0.05, Math.min(seconds, task.secondsLeft));
  const next = { kind: 'poll', delaySeconds, retry: answer.alert !== undefined } as const;
  const { progress } = answer;
  if (progress === undefined || progress === task.progress) return await together.goOn(job, next);
  await db.transaction(async (tx) => {
    await recordProgress(tx, task.id, progress);
    await goOn(tx, job, next);
  });
}

async function complete(
  lifecycle: Lifecycle,
  { task, job, attempt, lease, signal }: Asked,
  answer: StatusAnswer & { outcome: 'completed' },
): Promise<void> {
  const collected = await collect(lifecycle, { task, attempt, answer, signal });
  // Whoever has the job now collects it: that we stopped says nothing about the provider.
  if (collected.outcome === 'failed' && lease.aborted) throw new LeaseLost(job);
  if (collected.outcome === 'collected') {
    const { outputSeconds } = answer;
    const { result } = collected;
    return await lifecycle.together.complete({ ...ofTask(task), job, result, outputSeconds });
  }
  const { detail, isOurs } = collected;
  // While we cannot store it, it is paid for and there: only the deadline ends that.
  if (isOurs || (await countUncollected(lifecycle.db, attempt)) < collectTriesMax) {
    const delaySeconds = Math.max(0.05, Math.min(waitAfterTrouble(job), task.secondsLeft));
    const next = { kind: 'poll', delaySeconds, retry: true, error: detail } as const;
    return await lifecycle.together.goOn(job, next);
  }
  const loss = 'completed at the provider, and its video could not be fetched';
  await fail(lifecycle, { task, job }, { reason: 'failed', detail }, { attempt: 'failed', loss });
}

/** While somebody is stopping it, that it ended is their doing, and ending the task is theirs. */
async function endWithoutVideo(
  lifecycle: Lifecycle,
  { task, job }: Asked,
  failure: Parameters<typeof failedReasonOf>[0],
  outcome: 'failed' | 'lost',
): Promise<void> {
  // Read again: they may have begun after we had asked.
  const { attempt } = await lifecycle.together.find(task.id);
  const seconds = attempt?.secondsSinceStopAsked ?? null;
  if (seconds === null || seconds > stopSecondsRemembered) {
    return await fail(lifecycle, { task, job }, failure, { attempt: outcome });
  }
  if (seconds < stopSecondsMax) {
    const delaySeconds = Math.max(0.05, Math.min(stoppingLookSeconds, task.secondsLeft));
    return await lifecycle.together.goOn(job, { kind: 'poll', delaySeconds, retry: false });
  }
  const end = { reason: 'cancelled', attempt: 'cancelled', detail: failure.detail } as const;
  await lifecycle.together.fail({ ...ofTask(task), job, ...end });
}

async function fail(
  lifecycle: Lifecycle,
  { task, job }: { task: Task; job: Job },
  failure: Parameters<typeof failedReasonOf>[0],
  end: Pick<PolledFailure, 'attempt' | 'loss'>,
): Promise<void> {
  const { detail, refused } = failure;
  const about = { taskId: task.id, reason: failure.reason, detail, loss: end.loss };
  lifecycle.log.info(about, 'generation failed');
  const reason = failedReasonOf(failure);
  await lifecycle.together.fail({ ...ofTask(task), job, reason, refused, detail, ...end });
}

const waitAfterTrouble = ({ attempts }: Job): number =>
  troubleSeconds[Math.min(attempts, troubleSeconds.length - 1)]!;
