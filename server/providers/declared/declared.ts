/**
 * A provider that is described by data: what to send, where values are in the responses and what
 * the codes mean. A start with a lost response is repeated only if the upstream drops duplicates,
 * or proves that it does not know our reference.
 */
import type { Protection, Provider, StartRequest, StatusResult } from '../provider.ts';
import type { ReadCredential } from '../settings.ts';
import type { ClientOptions } from '../toolkit/client.ts';
import { valueAt } from '../toolkit/json-path.ts';
import type { MaterialOptions } from '../toolkit/materials.ts';
import { failureOf } from '../toolkit/rejected-part.ts';
import { notConfigured, toStartResult } from '../toolkit/start-result.ts';
import { failed, pending, toStatusResult, unknownStatus } from '../toolkit/status-result.ts';
import { isSuccess, type UpstreamOutcome } from '../toolkit/upstream.ts';
import { unsupportedReason, valuesFor } from './body.ts';
import { createReadCallback } from './callbacks.ts';
import { createDeclaredCalls } from './calls.ts';
import { cancel } from './cancel.ts';
import { createFind } from './find.ts';
import { withInlineMaterials } from './inline-materials.ts';
import {
  asId,
  detailOf,
  errorReaderFor,
  parseStartResult,
  readError,
  readStatus,
  readStatusError,
  reasonFor,
} from './responses.ts';
import { completedResult, type ResultContext } from './results.ts';
import type { DeclaredSettings } from './settings.ts';

export type DeclaredOptions = Omit<DeclaredSettings, 'kind' | 'apiKey' | 'supports'> &
  ClientOptions &
  MaterialOptions & { readonly name: string; readonly read: ReadCredential };

const defaultPollSeconds = 10;

export function createDeclared(options: DeclaredOptions): Provider {
  const { errors = {}, find, callbacks, webhookSecret, materials = 'url' } = options;
  const { askAgainSeconds: pollSeconds = defaultPollSeconds } = options;
  const calls = createDeclaredCalls(options);
  const start = async (request: StartRequest) =>
    startResultOf(await calls.start(valuesFor(request, options), request.generation), options);

  return {
    name: options.name,
    protection: protectionOf(options),
    unsupportedReason: (generation) => unsupportedReason(generation, options),
    typicalSeconds: ({ duration }) => options.usualSeconds ?? 60 + 8 * Math.max(duration, 5),
    ...(materials === 'url' ? {} : { downloadsMaterials: true }),

    async start(request) {
      const { model } = request.generation;
      if (!options.models[model]) {
        return notConfigured(`${options.name} has no model name for ${model}`);
      }
      if (materials === 'url') return await start(request);
      return await withInlineMaterials(request, { ...options, form: materials }, start);
    },

    async status({ operation, generation, signal }) {
      const result = await calls.status(operation, { generation, signal });
      const context = { settings: options, calls, operation, signal, pollSeconds };
      return await toStatusResult(result, {
        ...errorReaderFor(errors),
        signal,
        pollSeconds,
        success: ({ json }) => operationResult(json, context),
      });
    },

    cancel: (operation) => cancel(options, calls, operation),
    ...(find && protectionOf(options) === 'look-up'
      ? { find: createFind({ find, errors, calls, createTimeoutMs: options.createTimeoutMs }) }
      : {}),
    ...(callbacks || webhookSecret
      ? {
          readCallback: createReadCallback({
            callbacks: callbacks ?? {},
            secret: webhookSecret && options.read(webhookSecret),
          }),
        }
      : {}),
    close: calls.close,
  };
}

function protectionOf({ start, find }: DeclaredOptions): Protection {
  if (start.idempotencyKeyHeader !== undefined) return 'idempotency-key';
  return find ? 'look-up' : 'none';
}

function startResultOf(outcome: UpstreamOutcome, { start, errors = {} }: DeclaredOptions) {
  const operationIn = (json: unknown): string | undefined => asId(valueAt(json, start.operation));
  // Some upstreams respond 200 with an error instead of an id.
  if (outcome.kind === 'response' && isSuccess(outcome)) {
    const isError = !operationIn(outcome.json) && readError(outcome.json, errors);
    if (isError) return parseStartResult(outcome, errors);
  }
  return toStartResult(outcome, {
    operation: operationIn,
    error: (response) => parseStartResult(response, errors),
  });
}

async function operationResult(json: unknown, context: ResultContext): Promise<StatusResult> {
  const { settings, pollSeconds } = context;
  const errors = settings.errors ?? {};
  const error = readStatusError(json, errors);
  const { state, rawState, progress, outputSeconds } = readStatus(json, settings.status);
  switch (state) {
    case undefined:
      return unknownStatus(rawState, pollSeconds);
    case 'queued':
    case 'running':
      return pending(pollSeconds, progress);
    case 'completed':
      return await completedResult(json, outputSeconds, context);
    case 'failed': {
      const detail = detailOf(error, 'failed without an error');
      return { outcome: 'failed', ...reasonFor(error, errors), detail };
    }
    // The state decides; the code may say which part of the content was rejected.
    case 'rejected': {
      const { rejectedPart } = reasonFor(error, errors, 'rejected');
      const detail = detailOf(error, 'content rejected');
      return { outcome: 'failed', ...failureOf('rejected', detail, rejectedPart) };
    }
    case 'expired':
      return failed('timed_out', detailOf(error, 'expired'));
    case 'cancelled':
      return failed('failed', 'cancelled at the upstream');
  }
}
