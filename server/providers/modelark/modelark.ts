/**
 * Seedance on BytePlus ModelArk or Volcengine Ark. The upstream has no idempotency key, so a task
 * is marked by its `safety_identifier` (the end user) and `execution_expires_after` (the attempt).
 * After a lost response the task list is searched, and a second start is made only when the list
 * proves that the first one created nothing.
 */
import { editingDuration, type Generation } from '@vidgen/contract/create-generation.ts';
import type { Provider, StatusResult } from '../provider.ts';
import type { AdapterOptions } from '../settings.ts';
import { createAsyncAdapter, type OperationReading } from '../toolkit/async-adapter.ts';
import { callbackHint } from '../toolkit/callbacks.ts';
import { unknownFind } from '../toolkit/find-result.ts';
import { asJson, asOperation, asRecord } from '../toolkit/response-values.ts';
import { notConfigured } from '../toolkit/start-result.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import { createModelArkCalls } from './calls.ts';
import { errors, failureFor } from './errors.ts';
import { createFind } from './find.ts';
import type { ModelArkSettings } from './settings.ts';
import { StatusBatcher } from './status-batcher.ts';
import { createBody, readTask, type UpstreamTask } from './wire.ts';

export type ModelArkOptions = AdapterOptions<typeof ModelArkSettings>;

const states = {
  queued: 'queued',
  running: 'running',
  succeeded: 'completed',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
} as const;

export function createModelArk(options: ModelArkOptions): Provider {
  const calls = createModelArkCalls(options);
  const batcher = new StatusBatcher(calls);
  const createSeconds = calls.createTimeoutMs / 1000;
  const settleSeconds = options.settleSeconds ?? createSeconds + 90;
  const find = createFind({ list: calls.list, createSeconds, settleSeconds });
  const forwardSeed = options.forwardSeed ?? true;

  return createAsyncAdapter({
    name: options.name,
    protection: 'look-up',
    imageFormats: ['JPEG', 'PNG', 'WebP', 'GIF', 'BMP', 'TIFF', 'HEIC'],
    typicalSeconds,
    errors,

    async start(request) {
      const model = options.models[request.generation.model];
      return model
        ? await calls.create(createBody(request, { model, forwardSeed }), request.reference)
        : notConfigured(`${options.name} has no model id for ${request.generation.model}`);
    },

    status: {
      read: (request) => batcher.read(request.operation, request),
      operation: readOperation,
    },

    cancel: {
      read: calls.get,
      operation: readOperation,
      // A task that has begun is 409. Other responses prove nothing: what cannot be read any more
      // may have been billed.
      async stop(operation) {
        const outcome = await calls.delete(operation);
        return outcome.kind === 'response' && outcome.status === 409 ? 'running' : undefined;
      },
    },

    async find(reference, generation, secondsSinceStart, account) {
      const model = options.models[generation.model];
      if (!model) return unknownFind(`no model id for ${generation.model}`);
      if (!account) return unknownFind('the account of the start is not known');
      return find({ reference, ...account, model, secondsSinceStart });
    },

    // Not signed: only the unguessable reference in the URL authenticates it.
    readCallback: async ({ body }) => callbackHint(asOperation(asRecord(asJson(body))?.id)),

    close: calls.close,
  });
}

/** Measured at 720p: 2.5 takes 150 s for 5 s and 330 s for 30 s; 2.0 takes 90 to 140 s for 5 s. */
function typicalSeconds(generation: Generation): number {
  const outputSeconds = generation.duration === editingDuration ? 30 : generation.duration;
  return (generation.model === 'vidgen-2-5' ? 114 : 80) + Math.ceil(outputSeconds * 7.2);
}

function readOperation({ json }: UpstreamResponse): OperationReading | undefined {
  const task = readTask(json);
  if (!task?.status) return undefined;
  const { status } = task;
  return {
    state: Object.hasOwn(states, status) ? states[status as keyof typeof states] : undefined,
    status,
    result: task.videoUrl ? completedResult(task.videoUrl, task) : undefined,
    failure: status === 'failed' ? failureFor(task.error) : undefined,
    cost: task.tokens === undefined ? undefined : { units: task.tokens, unit: 'token' },
  };
}

const completedResult = (url: string, task: UpstreamTask): StatusResult => ({
  outcome: 'completed',
  video: { url },
  ...(task.lastFrameUrl ? { lastFrame: { url: task.lastFrameUrl } } : {}),
  ...(task.outputSeconds ? { outputSeconds: task.outputSeconds } : {}),
});
