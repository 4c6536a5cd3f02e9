/**
 * Models on fal's queue. Nothing lists requests and nothing drops a second submit, so nothing
 * protects one: a lost answer is resolved by the signed callback alone, and never by starting
 * again.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { CancelResult, Provider, StartRequest, StartResult } from '../provider.ts';
import { asRecord } from '../toolkit/response-values.ts';
import { acceptedResult, isSuccessStatus, startResultOf } from '../toolkit/start-outcome.ts';
import type { ReadResult } from '../toolkit/throttled-get.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { createCallbackReader } from './callbacks.ts';
import { createFalCalls, type FalCallOptions, type FalCalls } from './calls.ts';
import { parseStartResult, readError } from './errors.ts';
import {
  appOf,
  endpointOf,
  type FalInputRules,
  type FalModels,
  inputOf,
  unsupportedReason,
} from './inputs.ts';
import { operationFrom, pathsOf } from './operation.ts';
import { pollRequest } from './status.ts';

export type FalOptions = FalCallOptions & {
  readonly name: string;
  readonly models: FalModels;
  readonly forwardSeed?: boolean;
  readonly fields?: FalInputRules['fields'];
  readonly keepSeconds?: number;
  readonly retries?: boolean;
  readonly usualSeconds?: number;
  readonly keySetUrl?: string;
};

/** Until the operator has put the model back. */
const unconfiguredSeconds = 30;
const startWithinSecondsMin = 60;
const defaultKeySetUrl = 'https://rest.fal.ai/.well-known/jwks.json';

export function createFal(options: FalOptions): Provider {
  const calls = createFalCalls(options);
  const callbacks = createCallbackReader({ keySetUrl: options.keySetUrl ?? defaultKeySetUrl });
  const rules = { forwardSeed: options.forwardSeed ?? true, fields: options.fields ?? {} };
  const typicalSeconds = (generation: Generation) =>
    options.usualSeconds ?? defaultTypicalSeconds(generation);

  async function start(request: StartRequest): Promise<StartResult> {
    const { generation, secondsLeft, providerCallbackUrl } = request;
    const endpoint = endpointOf(options.models, generation);
    if (!endpoint) {
      const detail = `${options.name} has no endpoint for ${generation.model}`;
      return { outcome: 'refused', canFailOver: true, reason: 'failed', detail };
    }
    const query = providerCallbackUrl
      ? `?${new URLSearchParams({ fal_webhook: providerCallbackUrl })}`
      : '';
    const headers = headersFor({
      startWithinSeconds: secondsLeft - typicalSeconds(generation),
      keepSeconds: options.keepSeconds ?? 86_400,
      retries: options.retries ?? false,
    });
    const outcome = await calls.submit(`/${endpoint}${query}`, inputOf(generation, rules), headers);
    return toStartResult(outcome, { baseUrl: calls.baseUrl, app: appOf(endpoint) });
  }

  return {
    name: options.name,
    protection: 'none',
    unsupportedReason: (generation) => unsupportedReason(generation, options.models),
    typicalSeconds: typicalSeconds,
    start,

    async status({ operation, generation, signal }) {
      const paths = pathsOf(operation, appOf(endpointOf(options.models, generation) ?? ''));
      if (!paths) {
        const alert = `${options.name} has no endpoint any more for ${generation.model}`;
        return { outcome: 'pending', pollAfterSeconds: unconfiguredSeconds, alert };
      }
      return await pollRequest(calls, paths, signal);
    },

    async cancel(operation) {
      // Where a callback named it without its app, each that is configured is asked.
      for (const app of operation.includes('/') ? [''] : appsOf(options.models)) {
        const result = await cancel(calls, operation, app);
        if (result !== 'ended') return result;
      }
      return 'ended';
    },

    readCallback: callbacks.read,
    close: async () => {
      await calls.close();
      await callbacks.close();
    },
  };
}

function appsOf(models: FalModels): readonly string[] {
  const endpoints = Object.values(models).flatMap((model) =>
    typeof model === 'string' ? [model] : Object.values(model ?? {}),
  );
  return [...new Set(endpoints.flatMap((endpoint) => (endpoint ? [appOf(endpoint)] : [])))];
}

type SubmitOptions = {
  readonly startWithinSeconds: number;
  readonly keepSeconds: number;
  readonly retries: boolean;
};

function headersFor({ startWithinSeconds, keepSeconds, retries }: SubmitOptions) {
  return {
    // Until it begins, not until it ends: what would come too late is not begun, and not billed.
    'x-fal-request-timeout': String(
      Math.max(Math.floor(startWithinSeconds), startWithinSecondsMin),
    ),
    // Left alone, fal runs a request again, up to ten times, where its runner was lost.
    ...(retries ? {} : { 'x-fal-no-retry': '1' }),
    'x-fal-object-lifecycle-preference': JSON.stringify({
      expiration_duration_seconds: keepSeconds,
    }),
  };
}

/** As Seedance takes elsewhere. */
function defaultTypicalSeconds({ model, duration }: Generation): number {
  const outputSeconds = duration === -1 ? 30 : duration;
  return (model === 'vidgen-2-5' ? 120 : 90) + Math.ceil(outputSeconds * 7.2);
}

const toStartResult = (
  outcome: UpstreamOutcome,
  target: { readonly baseUrl: string; readonly app: string },
): StartResult =>
  startResultOf(outcome, (response) =>
    isSuccessStatus(response)
      ? acceptedResult(operationFrom(response.json, target), response)
      : parseStartResult(response),
  );

/**
 * What waits is taken out of the queue, and nobody bills it. What runs is only asked to stop: the
 * model decides whether it does, and nobody says what it costs then. So it is left alone.
 */
async function cancel(calls: FalCalls, operation: string, app: string): Promise<CancelResult> {
  const paths = pathsOf(operation, app);
  if (!paths) return 'ended';
  const before = cancelState(await calls.get(paths.status));
  if (before !== 'waiting') return before;
  const outcome = await calls.cancel(paths.cancel);
  switch (outcome.kind === 'answered' && asRecord(outcome.json)?.status) {
    case 'OK':
      return 'stopped';
    case 'ALREADY_COMPLETED':
    case 'NOT_FOUND':
      return 'ended';
    // It began since we looked, and may or may not stop now.
    case 'CANCELLATION_REQUESTED':
      return 'unknown';
    default: {
      const after = cancelState(await calls.get(paths.status));
      return after === 'waiting' ? 'unknown' : after;
    }
  }
}

function cancelState(result: ReadResult): CancelResult | 'waiting' {
  if (result.kind !== 'answered') return 'unknown';
  if (result.status === 404 && readError(result)) return 'ended';
  const isSuccess = result.status >= 200 && result.status < 300;
  switch (isSuccess && asRecord(result.json)?.status) {
    case 'IN_QUEUE':
      return 'waiting';
    case 'IN_PROGRESS':
      return 'running';
    case 'COMPLETED':
      return 'ended';
    default:
      return 'unknown';
  }
}
