/**
 * Seedance on BytePlus ModelArk or Volcengine Ark. The upstream has no idempotency key, so a task
 * is marked by its `safety_identifier` (the end user) and `execution_expires_after` (the attempt).
 * After a lost response the task list is searched, and a second start is made only when the list
 * proves that the first one created nothing.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { CancelResult, Provider, StatusResult } from '../provider.ts';
import type { AdapterOptions } from '../settings.ts';
import { callbackHint } from '../toolkit/callbacks.ts';
import type { ReadResult } from '../toolkit/client.ts';
import { unknownFind } from '../toolkit/find-result.ts';
import { asJson, asOperation, asRecord } from '../toolkit/response-values.ts';
import { notConfigured, toStartResult } from '../toolkit/start-result.ts';
import {
  failed,
  pending,
  pendingWithAlert,
  readState,
  toStatusResult,
  unknownStatus,
} from '../toolkit/status-result.ts';
import { createModelArkCalls, type ModelArkCalls } from './calls.ts';
import { errorReader, failureFor, parseStartResult } from './errors.ts';
import { createFind } from './find.ts';
import type { ModelArkSettings } from './settings.ts';
import { createStatusBatcher } from './status-batcher.ts';
import { createBody, readTask } from './wire.ts';

export type ModelArkOptions = AdapterOptions<typeof ModelArkSettings>;

/** The vendor's samples poll every 10 to 30 seconds. */
const pollSeconds = { queued: 15, running: 10 };

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
    imageFormats: ['JPEG', 'PNG', 'WebP', 'GIF', 'BMP', 'TIFF', 'HEIC'],
    typicalSeconds,

    async start(request) {
      const model = options.models[request.generation.model];
      if (!model) {
        return notConfigured(`${options.name} has no model id for ${request.generation.model}`);
      }
      const body = createBody(request, { model, forwardSeed });
      return toStartResult(await calls.create(body, request.reference), {
        operation: (json) => asOperation(asRecord(json)?.id),
        error: parseStartResult,
      });
    },

    status: async (request) =>
      toStatusResult(await readStatus(request.operation, request), {
        ...errorReader,
        signal: request.signal,
        success: ({ json }) => taskResult(json),
      }),

    cancel: (operation) => cancel(calls, operation),

    async find(reference, generation, secondsSinceStart, account) {
      const model = options.models[generation.model];
      if (!model) return unknownFind(`no model id for ${generation.model}`);
      if (!account) return unknownFind('the account of the start is not known');
      return find({ reference, ...account, model, secondsSinceStart });
    },

    // Not signed: only the unguessable reference in the URL authenticates it.
    readCallback: async ({ body }) => callbackHint(asOperation(asRecord(asJson(body))?.id)),

    close: calls.close,
  };
}

/** Measured at 720p: 2.5 takes 150 s for 5 s and 330 s for 30 s; 2.0 takes 90 to 140 s for 5 s. */
function typicalSeconds(generation: Generation): number {
  const outputSeconds = generation.duration === -1 ? 30 : generation.duration;
  return (generation.model === 'vidgen-2-5' ? 114 : 80) + Math.ceil(outputSeconds * 7.2);
}

function taskResult(json: unknown): StatusResult {
  const task = readTask(json);
  if (!task) return pendingWithAlert('the response is not a task');
  switch (task.status) {
    case 'queued':
    case 'running':
      return pending(pollSeconds[task.status]);
    case 'succeeded':
      if (!task.videoUrl) return failed('failed', 'succeeded without a video');
      return {
        outcome: 'completed',
        video: { url: task.videoUrl },
        ...(task.lastFrameUrl ? { lastFrame: { url: task.lastFrameUrl } } : {}),
        ...(task.outputSeconds ? { outputSeconds: task.outputSeconds } : {}),
      };
    case 'failed':
      return { outcome: 'failed', ...failureFor(task.error) };
    case 'expired':
      return failed('timed_out', 'expired at the upstream');
    case 'cancelled':
      return failed('failed', 'cancelled at the upstream');
    default:
      return unknownStatus(task.status);
  }
}

async function cancel(calls: ModelArkCalls, operation: string): Promise<CancelResult> {
  // DELETE stops a queued task but erases a finished one with its result, so read it first.
  const before = cancelState(await calls.get(operation));
  if (before !== 'queued') return before;
  const outcome = await calls.delete(operation);
  if (outcome.kind === 'response' && outcome.status === 409) return 'running';
  // It may have started or ended since the first read. Only a task that is now `cancelled` was
  // stopped; one that cannot be read any more may have been billed.
  const after = cancelState(await calls.get(operation));
  return after === 'queued' ? 'unknown' : after;
}

const cancelState = (result: ReadResult): CancelResult | 'queued' =>
  readState(result, {
    ...errorReader,
    state(json): CancelResult | 'queued' {
      const status = readTask(json)?.status;
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
    },
  });
