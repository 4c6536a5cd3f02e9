/**
 * Models on fal's queue. fal neither lists requests nor drops a second submit, so a start is never
 * repeated: after a lost response only the signed callback says which request it created.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { CancelResult, Provider } from '../provider.ts';
import type { AdapterOptions } from '../settings.ts';
import { createAsyncAdapter, stopQueued } from '../toolkit/async-adapter.ts';
import { type Client, createClient } from '../toolkit/client.ts';
import { seedanceSeconds } from '../toolkit/generation-input.ts';
import { asRecord } from '../toolkit/response-values.ts';
import { notConfigured } from '../toolkit/start-result.ts';
import { pendingWithAlert } from '../toolkit/status-result.ts';
import { createCallbackReader } from './callbacks.ts';
import { errors } from './errors.ts';
import { appOf, endpointOf, type FalModels, inputOf, unsupportedReason } from './inputs.ts';
import { operationFrom, pathsOf } from './operation.ts';
import { type FalSettings, falBaseUrl } from './settings.ts';
import { pollRequest, readOperation } from './status.ts';

export type FalOptions = AdapterOptions<typeof FalSettings>;

/** Until the model is in the configuration again. */
const notConfiguredPollSeconds = 30;
const startWithinSecondsMin = 60;
const defaultKeySetUrl = 'https://rest.fal.ai/.well-known/jwks.json';

export function createFal(options: FalOptions): Provider {
  const { baseUrl = falBaseUrl, createTimeoutMs: timeoutMs = 60_000 } = options;
  const client = createClient({
    getPerSecond: 25,
    ...options,
    baseUrl,
    authorization: (key) => ({ authorization: `Key ${key}` }),
  });
  const callbacks = createCallbackReader({ keySetUrl: options.keySetUrl ?? defaultKeySetUrl });
  const rules = { forwardSeed: options.forwardSeed ?? true, fields: options.fields ?? {} };
  const typicalSeconds = (generation: Generation) =>
    options.usualSeconds ?? seedanceSeconds(generation);

  return createAsyncAdapter({
    name: options.name,
    protection: 'none',
    unsupportedReason: (generation) => unsupportedReason(generation, options.models),
    typicalSeconds,
    errors,

    async start({ generation, secondsLeft, providerCallbackUrl }) {
      const endpoint = endpointOf(options.models, generation);
      if (!endpoint) {
        return notConfigured(`${options.name} has no endpoint for ${generation.model}`);
      }
      const query = providerCallbackUrl
        ? `?${new URLSearchParams({ fal_webhook: providerCallbackUrl })}`
        : '';
      const headers = headersFor(options, secondsLeft - typicalSeconds(generation));
      const body = inputOf(generation, rules);
      return await client.call('POST', `/${endpoint}${query}`, { body, headers, timeoutMs });
    },
    startedOperation: (json, { generation }) =>
      operationFrom(json, { baseUrl, app: appOf(endpointOf(options.models, generation)!) }),

    async status(request) {
      const { operation, generation } = request;
      const paths = pathsOf(operation, appOf(endpointOf(options.models, generation) ?? ''));
      if (paths) return await pollRequest(client, paths, request);
      const alert = `${options.name} no longer has an endpoint for ${generation.model}`;
      return pendingWithAlert(alert, notConfiguredPollSeconds);
    },

    async cancel(operation) {
      // An operation from a callback has no app, so every configured app is tried.
      for (const app of operation.includes('/') ? [''] : appsOf(options.models)) {
        const result = await cancel(client, operation, app);
        if (result !== 'ended') return result;
      }
      return 'ended';
    },

    readCallback: callbacks.read,
    close: async () => {
      await client.close();
      await callbacks.close();
    },
  });
}

function appsOf(models: FalModels): readonly string[] {
  const endpoints = Object.values(models).flatMap((model) =>
    typeof model === 'string' ? [model] : Object.values(model ?? {}),
  );
  return [...new Set(endpoints.flatMap((endpoint) => (endpoint ? [appOf(endpoint)] : [])))];
}

function headersFor(
  { keepSeconds = 86_400, retries = true }: FalOptions,
  startWithinSeconds: number,
) {
  const seconds = Math.max(Math.floor(startWithinSeconds), startWithinSecondsMin);
  return {
    // The time until fal begins, not until it ends: a request that would be late is not billed.
    'x-fal-request-timeout': String(seconds),
    // fal runs a request again, up to ten times, when its runner was lost, and bills no lost run.
    // The timeout above ends the retries too.
    ...(retries ? {} : { 'x-fal-no-retry': '1' }),
    'x-fal-object-lifecycle-preference': JSON.stringify({
      expiration_duration_seconds: keepSeconds,
    }),
  };
}

/**
 * A queued request is removed and not billed. A running one is left alone: the model decides
 * whether it stops, and fal does not document what it costs then.
 */
async function cancel(client: Client, operation: string, app: string): Promise<CancelResult> {
  const paths = pathsOf(operation, app);
  if (!paths) return 'ended';
  return await stopQueued(operation, {
    errors,
    read: () => client.read(paths.status),
    operation: readOperation,
    async stop() {
      const outcome = await client.call('PUT', paths.cancel);
      switch (outcome.kind === 'response' && asRecord(outcome.json)?.status) {
        case 'OK':
          return 'stopped';
        case 'ALREADY_COMPLETED':
        case 'NOT_FOUND':
          return 'ended';
        // It began after the first read, and may or may not stop now.
        case 'CANCELLATION_REQUESTED':
          return 'unknown';
        default:
          return undefined;
      }
    },
  });
}
