/**
 * Models on Replicate. There is no idempotency key, so the reference is part of the callback URL.
 * After a lost response the account's list is searched, and a second start is made only when the
 * list proves that the first one created nothing.
 */
import type { ModelName } from '@vidgen/contract/models.ts';
import type { Provider, StartRequest } from '../provider.ts';
import type { AdapterOptions, ReadCredential } from '../settings.ts';
import { createAsyncAdapter } from '../toolkit/async-adapter.ts';
import { seedanceSeconds, withoutParameters } from '../toolkit/generation-input.ts';
import { notConfigured } from '../toolkit/start-result.ts';
import { createReadCallback } from './callbacks.ts';
import { createReplicateCalls } from './calls.ts';
import { errors } from './errors.ts';
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
import { createReads, readOperation } from './status.ts';
import { endpointOf } from './wire.ts';

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

  const reads = createReads(calls);

  return createAsyncAdapter({
    name: options.name,
    protection: 'look-up',
    unsupportedReason: (generation) => unsupportedReason(generation, rulesOf(generation.model)),
    typicalSeconds: (generation) => options.usualSeconds ?? seedanceSeconds(generation),
    errors,

    async start(request) {
      const model = options.models[request.generation.model];
      if (!model) {
        return notConfigured(`${options.name} has no model for ${request.generation.model}`);
      }
      const { path, ...version } = endpointOf(model);
      const body = { ...version, ...bodyOf(request, rulesOf(request.generation.model)) };
      return await calls.create(path, body, cancelAfter(request.secondsLeft));
    },

    status: { read: (request) => reads.read(request.operation, request), operation: readOperation },

    // A running prediction can be stopped, but its run time is billed on public models, so it is
    // left alone and ends at its `Cancel-After`. One that has not begun is stopped without cost.
    cancel: { read: calls.get, operation: readOperation, stop: calls.cancel },

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
  });
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
