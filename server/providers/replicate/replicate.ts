/**
 * Models on Replicate. There is no idempotency key, so the reference is part of the callback URL.
 * After a lost response the account's list is searched, and a second start is made only when the
 * list proves that the first one created nothing.
 */
import type { ModelName } from '@vidgen/contract/models.ts';
import type { CancelResult, Provider, StartRequest } from '../provider.ts';
import type { AdapterOptions, ReadCredential } from '../settings.ts';
import type { ReadResult } from '../toolkit/client.ts';
import { seedanceSeconds, withoutParameters } from '../toolkit/generation-input.ts';
import { asOperation, asRecord } from '../toolkit/response-values.ts';
import { notConfigured, toStartResult } from '../toolkit/start-result.ts';
import { readState } from '../toolkit/status-result.ts';
import { createReadCallback } from './callbacks.ts';
import { createReplicateCalls, type ReplicateCalls } from './calls.ts';
import { errorReader, parseStartResult } from './errors.ts';
import { createFind } from './find.ts';
import {
  type InputLimits,
  type InputNames,
  inputOf,
  type ReplicateInputRules,
  seedanceRules,
  unsupportedReason,
} from './inputs.ts';
import type { ReplicateSettings } from './settings.ts';
import { createStatus, rejectionContext } from './status.ts';
import { endpointOf, readPrediction } from './wire.ts';

export type ReplicateOptions = AdapterOptions<typeof ReplicateSettings> & {
  readonly read: ReadCredential;
};

/** Replicate documents no minimum; tasks with less time left are rarely sent. */
const cancelAfterSecondsMin = 60;
/** Added to the create timeout: the upstream may continue after the connection broke. */
const settleMarginSeconds = 90;

export function createReplicate(options: ReplicateOptions): Provider {
  const calls = createReplicateCalls(options);
  const rulesOf = (model: ModelName): ReplicateInputRules => {
    const { names, limits } = seedanceRules(model);
    return {
      names: { ...names, ...options.inputs } as InputNames,
      limits: { ...limits, ...options.limits } as InputLimits,
      fields: options.fields ?? {},
    };
  };
  const find = createFind({
    calls,
    settleSeconds: options.settleSeconds ?? calls.createTimeoutMs / 1000 + settleMarginSeconds,
  });

  return {
    name: options.name,
    protection: 'look-up',
    unsupportedReason: (generation) => unsupportedReason(generation, rulesOf(generation.model)),
    typicalSeconds: (generation) => options.usualSeconds ?? seedanceSeconds(generation),

    async start(request) {
      const model = options.models[request.generation.model];
      if (!model) {
        return notConfigured(`${options.name} has no model for ${request.generation.model}`);
      }
      const { path, ...version } = endpointOf(model);
      const body = { ...version, ...bodyOf(request, rulesOf(request.generation.model)) };
      const outcome = await calls.create(path, body, cancelAfter(request.secondsLeft));
      return toStartResult(outcome, {
        operation: (json) => asOperation(asRecord(json)?.id),
        error: (response) => parseStartResult(response, rejectionContext(request.generation)),
      });
    },

    status: createStatus(calls),
    cancel: (operation) => cancel(calls, operation),

    find: (reference, generation, secondsSinceStart) =>
      find({
        reference,
        prompt: {
          name: rulesOf(generation.model).names.prompt,
          text: withoutParameters(generation.prompt),
        },
        secondsSinceStart,
      }),

    readCallback: createReadCallback({
      configured: options.webhookSecret && options.read(options.webhookSecret),
      fetchSecret: calls.webhookSecret,
    }),

    close: calls.close,
  };
}

function bodyOf({ generation, providerCallbackUrl }: StartRequest, rules: ReplicateInputRules) {
  // Replicate accepts https URLs only. Callbacks about the start and the logs are not needed.
  const webhookFields = providerCallbackUrl?.startsWith('https:')
    ? { webhook: providerCallbackUrl, webhook_events_filter: ['completed'] }
    : {};
  return { input: inputOf(generation, rules), ...webhookFields };
}

/** Counted from the creation, including the queue: nothing is billed after the task's deadline. */
const cancelAfter = (secondsLeft: number): string =>
  `${Math.max(Math.ceil(secondsLeft), cancelAfterSecondsMin)}s`;

/**
 * A running prediction can be stopped, but its run time is billed on public models, so it is left
 * alone and ends at its `Cancel-After`. One that has not begun is stopped without cost.
 */
async function cancel(calls: ReplicateCalls, operation: string): Promise<CancelResult> {
  const before = cancelState(await calls.get(operation));
  if (before !== 'waiting') return before;
  let after = cancelState(await calls.cancel(operation));
  // It may have begun or ended since the first read; the prediction itself says which.
  if (after === 'waiting' || after === 'unknown') after = cancelState(await calls.get(operation));
  return after === 'waiting' ? 'unknown' : after;
}

const cancelState = (result: ReadResult): CancelResult | 'waiting' =>
  readState(result, {
    ...errorReader,
    state(json): CancelResult | 'waiting' {
      const prediction = readPrediction(json);
      switch (prediction?.status) {
        case 'starting':
          return prediction.hasRun ? 'running' : 'waiting';
        case 'processing':
          return 'running';
        case 'aborted':
          return 'stopped';
        case 'canceled':
          return prediction.hasRun ? 'ended' : 'stopped';
        case 'succeeded':
        case 'failed':
          return 'ended';
        default:
          return 'unknown';
      }
    },
  });
