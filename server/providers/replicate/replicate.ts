/**
 * Models on Replicate. There is no idempotency key; our reference travels in the callback address,
 * and a lost answer is resolved by the account's list: a video is started again only when the list
 * proves that the first start came to nothing.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { CancelResult, Provider, StartRequest, StartResult } from '../provider.ts';
import type { Credential } from '../settings.ts';
import { withoutParameters } from '../toolkit/prompt-parameters.ts';
import { asOperation, asRecord } from '../toolkit/response-values.ts';
import { acceptedResult, isSuccessStatus, startResultOf } from '../toolkit/start-outcome.ts';
import type { ReadResult } from '../toolkit/throttled-get.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { createReadCallback } from './callbacks.ts';
import { createReplicateCalls, type ReplicateCallOptions, type ReplicateCalls } from './calls.ts';
import { parseStartResult, type ReplicateErrorContext, readError } from './errors.ts';
import { createFind } from './find.ts';
import {
  type InputLimits,
  type InputNames,
  inputOf,
  type ReplicateInputRules,
  seedanceInputs,
  seedanceLimits,
  unsupportedReason,
} from './inputs.ts';
import { createStatus, errorContextOf } from './status.ts';
import { endpointOf, readPrediction } from './wire.ts';

export type ReplicateOptions = ReplicateCallOptions & {
  readonly name: string;
  /** `owner/name`, `owner/name:version` or `deployments/owner/name`. */
  readonly models: Partial<Record<ModelName, string>>;
  readonly inputs?: { readonly [Name in keyof InputNames]?: InputNames[Name] | undefined };
  readonly limits?: { readonly [Name in keyof InputLimits]?: InputLimits[Name] | undefined };
  readonly fields?: ReplicateInputRules['fields'];
  readonly usualSeconds?: number;
  readonly settleSeconds?: number;
  readonly webhookSecret?: Credential;
  readonly read: (credential: Credential) => () => string;
};

/** The lowest that Replicate takes is not documented: a task with less left is hardly sent. */
const cancelAfterSecondsMin = 60;
/** Beyond our own time-out, for an upstream that goes on after the connection broke. */
const settleMarginSeconds = 90;

export function createReplicate(options: ReplicateOptions): Provider {
  const calls = createReplicateCalls(options);
  const rules: ReplicateInputRules = {
    names: { ...seedanceInputs, ...options.inputs } as InputNames,
    limits: { ...seedanceLimits, ...options.limits } as InputLimits,
    fields: options.fields ?? {},
  };
  const find = createFind({
    calls,
    settleSeconds: options.settleSeconds ?? calls.createTimeoutMs / 1000 + settleMarginSeconds,
  });

  return {
    name: options.name,
    protection: 'look-up',
    unsupportedReason: (generation) => unsupportedReason(generation, rules),
    typicalSeconds: (generation) => options.usualSeconds ?? defaultTypicalSeconds(generation),

    async start(request) {
      const model = options.models[request.generation.model];
      if (!model) {
        const detail = `${options.name} has no model for ${request.generation.model}`;
        return { outcome: 'refused', canFailOver: true, reason: 'failed', detail };
      }
      const { path, ...version } = endpointOf(model);
      const body = { ...version, ...bodyOf(request, rules) };
      const outcome = await calls.create(path, body, cancelAfter(request.secondsLeft));
      return toStartResult(outcome, errorContextOf(request.generation));
    },

    status: createStatus(calls),
    cancel: (operation) => cancel(calls, operation),

    find: (reference, generation, secondsSinceStart) =>
      find({
        reference,
        prompt: { name: rules.names.prompt, text: withoutParameters(generation.prompt) },
        secondsSinceStart,
      }),

    readCallback: createReadCallback({
      configured: options.webhookSecret && options.read(options.webhookSecret),
      fetchSecret: calls.secret,
    }),

    close: () => calls.close(),
  };
}

function bodyOf({ generation, providerCallbackUrl }: StartRequest, rules: ReplicateInputRules) {
  // Only https is taken. Starts and logs are of no interest: at the end there is something to see.
  const webhookFields = providerCallbackUrl?.startsWith('https:')
    ? { webhook: providerCallbackUrl, webhook_events_filter: ['completed'] }
    : {};
  return { input: inputOf(generation, rules), ...webhookFields };
}

/** Counted from the creation, queueing included: nothing is made and billed after our deadline. */
const cancelAfter = (secondsLeft: number): string =>
  `${Math.max(Math.ceil(secondsLeft), cancelAfterSecondsMin)}s`;

/** As Seedance takes elsewhere, and a while for a model that has to be woken. */
function defaultTypicalSeconds({ model, duration }: Generation): number {
  const outputSeconds = duration === -1 ? 30 : duration;
  return (model === 'vidgen-2-5' ? 120 : 90) + Math.ceil(outputSeconds * 7.2);
}

const toStartResult = (outcome: UpstreamOutcome, context: ReplicateErrorContext): StartResult =>
  startResultOf(outcome, (response) =>
    isSuccessStatus(response)
      ? acceptedResult(asOperation(asRecord(response.json)?.id), response)
      : parseStartResult(response, context),
  );

/**
 * A prediction that runs can be stopped, but what it has run is billed on public models: so it is
 * left alone, and ends by the deadline it was given. One that has not begun is stopped for nothing.
 */
async function cancel(calls: ReplicateCalls, operation: string): Promise<CancelResult> {
  const before = cancelState(await calls.get(operation));
  if (before !== 'waiting') return before;
  const outcome = await calls.cancel(operation);
  // It may have begun, even ended, since we looked: the prediction itself says which.
  const reported = cancelState(outcome);
  const after =
    reported === 'waiting' || reported === 'unknown' ? await calls.get(operation) : outcome;
  const view = cancelState(after);
  return view === 'waiting' ? 'unknown' : view;
}

/** What a prediction's state means to someone who wants it neither to go on nor to be billed. */
function cancelState(result: ReadResult): CancelResult | 'waiting' {
  if (result.kind !== 'answered') return 'unknown';
  if (result.status === 404 && readError(result)) return 'ended';
  const isSuccess = result.status >= 200 && result.status < 300;
  const prediction = isSuccess ? readPrediction(result.json) : undefined;
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
}
