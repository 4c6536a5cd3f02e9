/**
 * Starts a queued task at a provider, once. A start costs money, so the intent is committed before
 * the provider is called; what may follow a lost response is decided in `submit-decision.ts`, and
 * what the provider returns is recorded in `record-start.ts`.
 */
import { randomBytes } from 'node:crypto';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import { monotonicMs, nowMs } from '../process/clock.ts';
import { crashPoint } from '../process/crash-point.ts';
import type { FindResult, Provider, StartResult } from '../providers/provider.ts';
import { type Job, LeaseLost, leaseSeconds } from '../queue/job.ts';
import { requireLease } from '../queue/outcome.ts';
import { type Attempt, type AttemptOutcome, setStartUncertain } from '../tasks/attempts.ts';
import { belongsToOtherTask } from '../tasks/find-attempts.ts';
import { markSubmitted } from '../tasks/store.ts';
import { isFinal, type Task, taskRef } from '../tasks/task.ts';
import type { LifecycleContext } from './context.ts';
import { recordAccepted, recordStart, retryLater, submitAgain } from './record-start.ts';
import { possibleLoss, timeOut } from './settle/possible-loss.ts';
import { copySources } from './submit/copy-sources.ts';
import { chooseProvider, waitOf } from './submit/provider-capacity.ts';
import {
  releaseAttemptToOtherProcess,
  releaseStartToOtherProcess,
} from './submit/release-to-other-process.ts';
import {
  decideLookup,
  decideProvider,
  decideSubmit,
  downgradeToUnknown,
  type OpenAttempt,
  type Start,
  type SubmitAction,
} from './submit-decision.ts';

/** A lease is renewed after a third of it, so it is certainly held this long after it was seen. */
const intentTtlMs = (leaseSeconds * 1000 * 2) / 3;

/** A provider that hangs holds the submits that wait for its starts no longer than this. */
const startWaitMs = 250;

/** What is being submitted, and the leased job that does it. */
type Submission = {
  readonly task: Task;
  readonly job: Job;
  readonly attempts: readonly Attempt[];
};

export async function submit(lifecycle: LifecycleContext, job: Job): Promise<void> {
  crashPoint('submit.claimed');
  const { task, attempts } = await lifecycle.submits.find(job.taskId);
  if (!task || isFinal(task)) throw new LeaseLost(job);
  const open = findOpen(lifecycle, attempts);
  if (open && (await releaseAttemptToOtherProcess(lifecycle, { task, job }, open.attempt))) return;
  let action: SubmitAction | null = decideSubmit(task, open);
  try {
    while (action) action = await perform(lifecycle, { task, job, attempts }, action);
  } finally {
    lifecycle.capacityWaits.endTurn(job.id);
  }
}

function findOpen(
  { providers }: LifecycleContext,
  attempts: readonly Attempt[],
): OpenAttempt | null {
  const attempt = attempts.find(({ outcome }) => outcome === null);
  if (!attempt) return null;
  return { attempt, provider: providers.get(attempt.provider, attempt.credential) ?? null };
}

/** Returns the action that follows; null once the job is rescheduled or the task has ended. */
async function perform(
  lifecycle: LifecycleContext,
  submission: Submission,
  action: SubmitAction,
): Promise<SubmitAction | null> {
  const { task } = submission;
  switch (action.action) {
    case 'choose-provider':
      return decideProvider(
        task,
        await chooseProvider(lifecycle, { ...submission, allowRetry: true, startWaitMs }),
      );
    case 'look-up':
      return decideLookup(task, action, await lookUp(lifecycle, task, action));
    case 'start':
      return await start(lifecycle, submission, action);
    default:
      await end(lifecycle, submission, action);
      return null;
  }
}

type LastAction = Exclude<SubmitAction, { action: 'choose-provider' | 'look-up' | 'start' }>;

async function end(
  lifecycle: LifecycleContext,
  submission: Submission,
  action: LastAction,
): Promise<void> {
  const { task, job, attempts } = submission;
  switch (action.action) {
    case 'time-out':
      return await timeOut(lifecycle, submission);
    case 'time-out-unstarted':
      return await timeOutUnstarted(lifecycle, submission, action.attempt);
    case 'wait-for-capacity':
      return await lifecycle.submits.waitForCapacity(waitOf(submission, action.providers));
    case 'fail-no-provider': {
      if (await releaseStartToOtherProcess(lifecycle, submission, attempts)) return;
      const detail = attempts.at(-1)?.detail ?? `no provider serves ${task.model}`;
      lifecycle.log.error({ taskId: task.id, detail }, 'no provider available for task');
      const reason = 'provider_failed';
      return await fail(lifecycle, submission, { reason, attempt: 'refused', detail });
    }
    case 'fail-source': {
      const { detail } = action;
      lifecycle.log.info({ taskId: task.id, detail }, 'source of an edit refused');
      const reason = 'material_unavailable';
      return await fail(lifecycle, submission, { reason, attempt: 'refused', detail });
    }
    case 'abandon': {
      const detail = `the provider ${action.attempt.provider} is no longer configured`;
      const loss = possibleLoss(action.attempt, { cancelResult: null, ended: 'given up' });
      const reason = 'provider_failed';
      return await fail(lifecycle, submission, { reason, attempt: 'abandoned', detail, loss });
    }
    case 'submit-again': {
      const { detail } = action;
      return await submitAgain(lifecycle, { task, job }, { outcome: 'throttled', detail });
    }
    case 'record-accepted':
      return await recordAccepted(lifecycle, { task, job, ...action }, action.operation);
    case 'retry-later':
      return await retryLater(lifecycle, submission, action.error);
  }
}

async function lookUp(
  { db, endUserOf }: LifecycleContext,
  { id: taskId, accountId, generation }: Task,
  { provider, attempt }: { readonly provider: Provider; readonly attempt: Attempt },
): Promise<FindResult> {
  const { reference, secondsSinceLastStart } = attempt;
  const task = { taskId, accountId, provider: provider.name };
  return await provider.find!(reference, generation, secondsSinceLastStart, {
    endUser: endUserOf(accountId),
    belongsToOtherTask: (operation) => belongsToOtherTask(db, { ...task, operation }),
  });
}

async function start(
  lifecycle: LifecycleContext,
  submission: Submission,
  intent: Start,
): Promise<SubmitAction | null> {
  const { task, job } = submission;
  const { provider } = intent;
  const copied = await copySources(lifecycle, submission, provider);
  if (copied.outcome === 'retry') return { action: 'retry-later', error: copied.detail };
  if (copied.outcome === 'refused') return { action: 'fail-source', detail: copied.detail };
  using reservation = lifecycle.providers.reserveStart(provider.name, task.model);
  if (!reservation && intent.attempt) {
    return { action: 'retry-later', error: 'the provider does not respond' };
  }
  const startedMs = monotonicMs();
  const attempt = reservation && (await writeIntent(lifecycle, submission, intent));
  lifecycle.capacityWaits.endTurn(job.id);
  // Others have taken the capacity since the provider was chosen.
  if (!attempt) return { action: 'choose-provider' };
  crashPoint('submit.intent-written');
  const isIntentTooOld = monotonicMs() - startedMs > intentTtlMs;
  const startMs = nowMs();
  const startResult = isIntentTooOld
    ? // A process that hung here may resume when another worker has started the task.
      ({
        outcome: 'throttled',
        retryAfterSeconds: 1,
        detail: 'not started: the intent was written too long ago',
      } as const)
    : await callProvider(lifecycle, { task, provider, attempt, generation: copied.generation });
  lifecycle.traces?.add({
    taskId: task.id,
    name: 'submit',
    kind: 'client',
    startMs,
    endMs: nowMs(),
    isError: startResult.outcome !== 'accepted',
    attributes: {
      model: task.model,
      provider: provider.name,
      attempt: attempt.number,
      outcome: startResult.outcome,
    },
  });
  await recordStart(
    lifecycle,
    { task, job, provider, attempt },
    downgradeToUnknown(startResult, intent),
  );
  return null;
}

/** Returns null when the provider's capacity was taken since it was chosen. */
async function writeIntent(
  { db, providers, submits }: LifecycleContext,
  { task, job }: Submission,
  { provider, attempt: open }: Start,
): Promise<Attempt | null> {
  if (!open) {
    const { concurrency } = providers.limitsOf(provider.name);
    const { id: taskId, model, generation, pricedSeconds } = task;
    const routed = { taskId, generation, pricedSeconds, provider: provider.name };
    const attempt = { ...newAttempt(task, provider), detail: providers.costReason(model, routed) };
    return await submits.writeIntent({ job, attempt, concurrency });
  }
  // One that may have been accepted is counted already.
  await db.transaction(async (tx) => {
    await markSubmitted(tx, [task.id]);
    const { taskId, number } = open;
    await setStartUncertain(tx, { taskId, number, startUncertain: true, detail: null });
    await requireLease(tx, job);
  });
  return open;
}

const newAttempt = (task: Task, { name, credential }: Provider) => ({
  taskId: task.id,
  provider: name,
  credential: credential ?? null,
  reference: `vg_${randomBytes(18).toString('base64url')}`,
});

/** An adapter that throws proves nothing: the start may have arrived. */
async function callProvider(
  { log, settings, endUserOf }: LifecycleContext,
  {
    task,
    provider,
    attempt,
    generation,
  }: { task: Task; provider: Provider; attempt: Attempt; generation: Generation },
): Promise<StartResult> {
  const { providerCallbackBaseUrl } = settings;
  const { reference } = attempt;
  const { taskType } = task.dialect ?? {};
  const startResult = await provider
    .start({
      reference,
      taskId: task.id,
      endUser: endUserOf(task.accountId),
      generation,
      ...(taskType === undefined ? {} : { taskType }),
      pricedSeconds: task.pricedSeconds,
      secondsLeft: task.secondsLeft,
      ...(providerCallbackBaseUrl === null
        ? {}
        : { providerCallbackUrl: `${providerCallbackBaseUrl}/${provider.name}/${reference}` }),
    })
    .catch((error: Error): StartResult => {
      log.error({ taskId: task.id, provider: provider.name, error }, 'provider start failed');
      return { outcome: 'unknown', detail: error.message };
    });
  crashPoint('submit.response');
  return startResult;
}

async function timeOutUnstarted(
  lifecycle: LifecycleContext,
  { task, job }: Submission,
  { taskId, number }: Attempt,
): Promise<void> {
  const update = { taskId, number, startUncertain: false, detail: 'the start did not arrive' };
  await lifecycle.db.transaction((tx) => setStartUncertain(tx, update));
  await timeOut(lifecycle, { task, job });
}

async function fail(
  { settle }: LifecycleContext,
  { task, job }: Submission,
  failure: {
    readonly reason: FailedReason;
    readonly attempt: AttemptOutcome;
    readonly detail: string;
    readonly loss?: string | undefined;
  },
): Promise<void> {
  await settle({ ...taskRef(task), end: 'failed', job, ...failure });
}
