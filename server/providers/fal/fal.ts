/**
 * Models on fal's queue. Nothing lists requests and nothing drops a second submit, so nothing
 * protects one: a lost answer is resolved by the signed callback alone, and never by starting
 * again.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { CancelAnswer, Provider, StartAnswer, StartRequest } from '../provider.ts';
import { asRecord } from '../toolkit/answer-values.ts';
import type { Reading } from '../toolkit/reads.ts';
import { acceptedAs, isAccepting, startAnswerOf } from '../toolkit/start-outcome.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { createCallbackReader } from './callbacks.ts';
import { createFalCalls, type FalCallOptions, type FalCalls } from './calls.ts';
import { readError, startAnswerFor } from './errors.ts';
import {
  appOf,
  cannotSay,
  endpointOf,
  type FalModels,
  type InputRules,
  inputOf,
} from './inputs.ts';
import { operationFrom, pathsOf } from './operation.ts';
import { lookAt } from './status.ts';

export type FalOptions = FalCallOptions & {
  readonly name: string;
  readonly models: FalModels;
  readonly forwardSeed?: boolean;
  readonly fields?: InputRules['fields'];
  readonly keepSeconds?: number;
  readonly retries?: boolean;
  readonly usualSeconds?: number;
  readonly keySetUrl?: string;
};

/** Until the operator has put the model back. */
const unconfiguredSeconds = 30;
const startWithinSecondsMin = 60;
const publishedKeys = 'https://rest.fal.ai/.well-known/jwks.json';

export function createFal(options: FalOptions): Provider {
  const calls = createFalCalls(options);
  const callbacks = createCallbackReader({ keySetUrl: options.keySetUrl ?? publishedKeys });
  const rules = { forwardSeed: options.forwardSeed ?? true, fields: options.fields ?? {} };
  const usual = (generation: Generation) => options.usualSeconds ?? usualSeconds(generation);

  async function start(request: StartRequest): Promise<StartAnswer> {
    const { generation, secondsLeft, callbackUrl } = request;
    const endpoint = endpointOf(options.models, generation);
    if (!endpoint) {
      const detail = `${options.name} has no endpoint for ${generation.model}`;
      return { outcome: 'refused', tryAnother: true, reason: 'failed', detail };
    }
    const query = callbackUrl ? `?${new URLSearchParams({ fal_webhook: callbackUrl })}` : '';
    const headers = headersFor({
      startWithinSeconds: secondsLeft - usual(generation),
      keepSeconds: options.keepSeconds ?? 86_400,
      retries: options.retries ?? false,
    });
    const outcome = await calls.submit(`/${endpoint}${query}`, inputOf(generation, rules), headers);
    return startAnswer(outcome, { baseUrl: calls.baseUrl, app: appOf(endpoint) });
  }

  return {
    name: options.name,
    protection: 'none',
    cannot: (generation) => cannotSay(generation, options.models),
    usualSeconds: usual,
    start,

    async status({ operation, generation, signal }) {
      const paths = pathsOf(operation, appOf(endpointOf(options.models, generation) ?? ''));
      if (!paths) {
        const alert = `${options.name} has no endpoint any more for ${generation.model}`;
        return { outcome: 'pending', askAgainSeconds: unconfiguredSeconds, alert };
      }
      return await lookAt(calls, paths, signal);
    },

    async cancel(operation) {
      // Where a callback named it without its app, each that is configured is asked.
      for (const app of operation.includes('/') ? [''] : appsOf(options.models)) {
        const answer = await cancel(calls, operation, app);
        if (answer !== 'gone') return answer;
      }
      return 'gone';
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

type Treatment = {
  readonly startWithinSeconds: number;
  readonly keepSeconds: number;
  readonly retries: boolean;
};

function headersFor({ startWithinSeconds, keepSeconds, retries }: Treatment) {
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
function usualSeconds({ model, duration }: Generation): number {
  const outputSeconds = duration === -1 ? 30 : duration;
  return (model === 'vidgen-2-5' ? 120 : 90) + Math.ceil(outputSeconds * 7.2);
}

const startAnswer = (
  outcome: UpstreamOutcome,
  place: { readonly baseUrl: string; readonly app: string },
): StartAnswer =>
  startAnswerOf(outcome, (answer) =>
    isAccepting(answer)
      ? acceptedAs(operationFrom(answer.json, place), answer)
      : startAnswerFor(answer),
  );

/**
 * What waits is taken out of the queue, and nobody bills it. What runs is only asked to stop: the
 * model decides whether it does, and nobody says what it costs then. So it is left alone.
 */
async function cancel(calls: FalCalls, operation: string, app: string): Promise<CancelAnswer> {
  const paths = pathsOf(operation, app);
  if (!paths) return 'gone';
  const before = cancelView(await calls.get(paths.status));
  if (before !== 'waiting') return before;
  const outcome = await calls.cancel(paths.cancel);
  switch (outcome.kind === 'answered' && asRecord(outcome.json)?.status) {
    case 'OK':
      return 'stopped';
    case 'ALREADY_COMPLETED':
    case 'NOT_FOUND':
      return 'gone';
    // It began since we looked, and may or may not stop now.
    case 'CANCELLATION_REQUESTED':
      return 'unknown';
    default: {
      const after = cancelView(await calls.get(paths.status));
      return after === 'waiting' ? 'unknown' : after;
    }
  }
}

function cancelView(reading: Reading): CancelAnswer | 'waiting' {
  if (reading.kind !== 'answered') return 'unknown';
  if (reading.status === 404 && readError(reading)) return 'gone';
  const isShown = reading.status >= 200 && reading.status < 300;
  switch (isShown && asRecord(reading.json)?.status) {
    case 'IN_QUEUE':
      return 'waiting';
    case 'IN_PROGRESS':
      return 'running';
    case 'COMPLETED':
      return 'gone';
    default:
      return 'unknown';
  }
}
