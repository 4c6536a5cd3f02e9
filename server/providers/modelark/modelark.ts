/**
 * Seedance on BytePlus ModelArk or Volcengine Ark. The upstream has no idempotency key, so our
 * reference travels as `safety_identifier` and a lost answer is resolved by listing: a generation
 * is started again only when the list proves that the first start came to nothing.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { CancelResult, Provider, StartResult, StatusResult } from '../provider.ts';
import { asJson, asOperation, asRecord } from '../toolkit/response-values.ts';
import { acceptedResult, isSuccessStatus, startResultOf } from '../toolkit/start-outcome.ts';
import { type ReadResult, throttledStatus } from '../toolkit/throttled-get.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { createModelArkCalls, type ModelArkCallOptions, type ModelArkCalls } from './calls.ts';
import { detailOf, failureFor, parseStartResult, readError } from './errors.ts';
import { createFind } from './find.ts';
import { createStatusBatcher } from './status-batcher.ts';
import { createBody, readTask, safetyIdentifierOf, type UpstreamTask } from './wire.ts';

export type ModelArkOptions = ModelArkCallOptions & {
  readonly name: string;
  /** Model or endpoint ids of the account: they carry dates and are retired. */
  readonly models: Partial<Record<ModelName, string>>;
  /**
   * Our contract has a seed for the 2.0 family; the upstream documents none there, yet its tasks
   * show one. Off, a seed changes nothing; on (the default), a task may be refused for it.
   */
  readonly forwardSeed?: boolean;
  /** How long after a start whose answer was lost its task may still appear in the list. */
  readonly settleSeconds?: number;
};

/** The vendor's own samples ask every 10 to 30 s. */
const pollSeconds = { queued: 15, running: 10, error: 15 };

export function createModelArk(options: ModelArkOptions): Provider {
  const calls = createModelArkCalls(options);
  const readStatus = createStatusBatcher(calls);
  const createSeconds = calls.createTimeoutMs / 1000;
  const settleSeconds = options.settleSeconds ?? createSeconds + 90;
  const find = createFind({ list: calls.list, createSeconds, settleSeconds });
  const forwardSeed = options.forwardSeed ?? true;

  return {
    name: options.name,
    protection: 'look-up',
    typicalSeconds,

    async start(request) {
      const model = options.models[request.generation.model];
      if (!model) {
        const detail = `${options.name} has no model id for ${request.generation.model}`;
        return { outcome: 'refused', canFailOver: true, reason: 'failed', detail };
      }
      const body = createBody(request, { model, forwardSeed });
      return toStartResult(await calls.create(body, request.reference));
    },

    async status({ operation, signal }) {
      const result = await readStatus(operation, signal);
      // Whoever gave up waiting knows why: that is no trouble to tell the operator of.
      if (signal.aborted) return { outcome: 'pending', pollAfterSeconds: pollSeconds.running };
      return toStatusResult(result);
    },

    cancel: (operation) => cancel(calls, operation),

    async find(reference, generation, secondsSinceStart) {
      const model = options.models[generation.model];
      if (!model) return { outcome: 'unknown', detail: `no model id for ${generation.model}` };
      const safetyIdentifier = safetyIdentifierOf(reference);
      return find({ safetyIdentifier, model, secondsSinceStart });
    },

    // Unsigned, so only the reference vouches for it; but it names the task when our start's answer
    // was lost.
    async readCallback({ body }) {
      const operation = asOperation(asRecord(asJson(body))?.id);
      return { outcome: 'hint', ...(operation ? { operation } : {}) };
    },

    close: () => calls.close(),
  };
}

/** Measured at 720p: 2.5 takes 150 s for 5 s and 330 s for 30 s; 2.0 takes 90 to 140 s for 5 s. */
function typicalSeconds(generation: Generation): number {
  const outputSeconds = generation.duration === -1 ? 30 : generation.duration;
  return (generation.model === 'vidgen-2-5' ? 114 : 80) + Math.ceil(outputSeconds * 7.2);
}

const toStartResult = (outcome: UpstreamOutcome): StartResult =>
  startResultOf(outcome, (response) =>
    isSuccessStatus(response)
      ? acceptedResult(asOperation(asRecord(response.json)?.id), response)
      : parseStartResult(response),
  );

/** Whatever keeps us from reading a task says nothing about it: it stays pending. */
function toStatusResult(result: ReadResult): StatusResult {
  if (result.kind === 'busy') return throttledStatus(result);
  if (result.kind !== 'answered') return pendingWithAlert(result.detail);
  const { status } = result;
  if (status >= 200 && status < 300) {
    const task = readTask(result.json);
    return task ? taskResult(task) : pendingWithAlert('the answer is no task');
  }
  const error = readError(result);
  const detail = detailOf(error, `HTTP ${status}`);
  // In the upstream's own words only: a proxy's 404 does not mean that the task is gone.
  if (status === 404 && error) return { outcome: 'lost', detail };
  if (status === 429) return { outcome: 'pending', pollAfterSeconds: pollSeconds.error };
  return pendingWithAlert(detail);
}

function taskResult(task: UpstreamTask): StatusResult {
  switch (task.status) {
    case 'queued':
    case 'running':
      return { outcome: 'pending', pollAfterSeconds: pollSeconds[task.status] };
    case 'succeeded':
      if (!task.videoUrl) {
        return { outcome: 'failed', reason: 'failed', detail: 'succeeded without a video' };
      }
      return {
        outcome: 'completed',
        video: { url: task.videoUrl },
        ...(task.lastFrameUrl ? { lastFrame: { url: task.lastFrameUrl } } : {}),
        ...(task.outputSeconds ? { outputSeconds: task.outputSeconds } : {}),
      };
    case 'failed':
      return { outcome: 'failed', ...failureFor(task.error) };
    case 'expired':
      return { outcome: 'failed', reason: 'timed_out', detail: 'expired at the upstream' };
    case 'cancelled':
      return { outcome: 'failed', reason: 'failed', detail: 'cancelled at the upstream' };
    default:
      return pendingWithAlert(
        `unknown status ${JSON.stringify(task.status?.slice(0, 100) ?? null)}`,
      );
  }
}

function pendingWithAlert(alert: string): StatusResult {
  return { outcome: 'pending', pollAfterSeconds: pollSeconds.error, alert };
}

async function cancel(calls: ModelArkCalls, operation: string): Promise<CancelResult> {
  // DELETE stops a queued task but erases a finished one, result and all: so look first.
  const before = cancelState(await calls.get(operation));
  if (before !== 'queued') return before;
  const outcome = await calls.delete(operation);
  if (outcome.kind === 'answered' && outcome.status === 409) return 'running';
  // It may have started, even ended, since we looked. Only a task that now says `cancelled` was
  // stopped; one that cannot be read any more may have been billed.
  const after = cancelState(await calls.get(operation));
  return after === 'queued' ? 'unknown' : after;
}

/** What a task's state means to someone who wants it stopped. */
function cancelState(result: ReadResult): CancelResult | 'queued' {
  if (result.kind !== 'answered') return 'unknown';
  if (result.status === 404 && readError(result)) return 'ended';
  const status = result.status === 200 ? readTask(result.json)?.status : undefined;
  switch (status) {
    case 'queued':
    case 'running':
      return status;
    case 'succeeded':
    case 'failed':
    case 'expired':
      return 'ended';
    case 'cancelled':
      return 'stopped';
    default:
      return 'unknown';
  }
}
