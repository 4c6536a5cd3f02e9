/**
 * A provider that is described by data: what to send, where values are in the responses and what
 * the codes mean. A start with a lost response is repeated only if the upstream drops duplicates,
 * or proves that it does not know our reference.
 */
import type { Protection, Provider, StartRequest, StartResult, StatusResult } from '../provider.ts';
import type { ReadCredential } from '../settings.ts';
import { createAsyncAdapter, withCost } from '../toolkit/async-adapter.ts';
import type { ClientOptions } from '../toolkit/client.ts';
import { hasMaterials, type MaterialOptions } from '../toolkit/materials.ts';
import { failureOf, type RejectionContext } from '../toolkit/rejected-part.ts';
import { valueAt } from '../toolkit/response-values.ts';
import { notConfigured } from '../toolkit/start-result.ts';
import { failed, pending, toStatusResult, unknownStatus } from '../toolkit/status-result.ts';
import { isSuccess, type UpstreamOutcome, type UpstreamResponse } from '../toolkit/upstream.ts';
import { unsupportedReason, valuesFor } from './body.ts';
import { createReadCallback } from './callbacks.ts';
import { createDeclaredCalls } from './calls.ts';
import { cancel } from './cancel.ts';
import { createFind } from './find.ts';
import { inlineImageFormats, withInlineMaterials } from './inline-materials.ts';
import {
  asId,
  detailOf,
  endsOperation,
  errorReaderFor,
  parseStartResult,
  readCost,
  readError,
  readStatus,
  readStatusError,
  reasonFor,
} from './responses.ts';
import { completedResult, type ResultContext } from './results.ts';
import { type DeclaredSettings, settingsFor, typesOf } from './settings.ts';

export type DeclaredOptions = Omit<DeclaredSettings, 'kind' | 'apiKey' | 'supports'> &
  ClientOptions &
  MaterialOptions & { readonly name: string; readonly read: ReadCredential };

export function createDeclared(options: DeclaredOptions): Provider {
  const { errors = {}, find, callbacks, webhookSecret, materials = 'url' } = options;
  const { askAgainSeconds: pollSeconds } = options;
  const calls = createDeclaredCalls(options);
  const valuesOf = (request: StartRequest) =>
    valuesFor(request, settingsFor(options, request.generation.model));
  const operationIn = (json: unknown) => asId(valueAt(json, options.start.operation));
  const startResult = (response: UpstreamResponse, context: RejectionContext) =>
    parseStartResult(response, errors, context);
  async function start(request: StartRequest): Promise<UpstreamOutcome | StartResult> {
    const outcome = await calls.start(valuesOf(request), request.generation);
    // Some upstreams respond 200 with an error instead of an id.
    const isError =
      outcome.kind === 'response' &&
      isSuccess(outcome) &&
      !operationIn(outcome.json) &&
      readError(outcome.json, errors) !== undefined;
    const materials = hasMaterials(request.generation);
    return isError ? startResult(outcome, { materials }) : outcome;
  }

  return createAsyncAdapter({
    name: options.name,
    errors: { ...errorReaderFor(errors), startResult },
    startedOperation: operationIn,
    protection: protectionOf(options),
    unsupportedReason: (generation) =>
      unsupportedReason(generation, settingsFor(options, generation.model)),
    typicalSeconds: ({ duration }) => options.usualSeconds ?? 60 + 8 * Math.max(duration, 5),
    ...(materials === 'url' ? {} : { downloadsMaterials: true, imageFormats: inlineImageFormats }),

    async start(request) {
      const { model, generationType } = request.generation;
      if (!options.models[model]) {
        return notConfigured(`${options.name} has no model name for ${model}`);
      }
      if (!typesOf(options.start.path).includes(generationType)) {
        return notConfigured(`${options.name} has no path for ${generationType}`);
      }
      if (materials === 'url') return await start(request);
      return await withInlineMaterials(request, { ...options, form: materials }, start);
    },

    async status(request) {
      const { operation, signal } = request;
      const result = await calls.status(operation, request);
      const context = { settings: options, calls, operation, turn: request, pollSeconds };
      if (result.kind === 'response' && endsOperation(result, errors)) {
        const failure = failedResult(readStatusError(result.json, errors), errors);
        return withCost(failure, readCost(result.json, options.status));
      }
      return await toStatusResult(result, {
        ...errorReaderFor(errors),
        signal,
        pollSeconds,
        success: async (response) =>
          withCost(
            await operationResult(response, context),
            readCost(response.json, options.status),
          ),
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
  });
}

function protectionOf({ start, find }: DeclaredOptions): Protection {
  if (start.idempotencyKeyHeader !== undefined) return 'idempotency-key';
  return find ? 'look-up' : 'none';
}

async function operationResult(
  { status, json }: UpstreamResponse,
  context: ResultContext,
): Promise<StatusResult> {
  const { settings, pollSeconds } = context;
  // 202 means that the operation is not finished; some upstreams send no body with it.
  if (status === 202 && json === undefined) return pending({ pollAfterSeconds: pollSeconds });
  const errors = settings.errors ?? {};
  const error = readStatusError(json, errors);
  const { state, rawState, progress, outputSeconds } = readStatus(json, settings.status);
  switch (state) {
    case undefined:
      return unknownStatus(rawState, pollSeconds);
    case 'queued':
    case 'running':
      return pending({ pollAfterSeconds: pollSeconds, progress });
    case 'completed':
      return await completedResult(json, outputSeconds, context);
    case 'failed':
      return failedResult(error, errors);
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

const failedResult = (
  error: ReturnType<typeof readStatusError>,
  errors: NonNullable<DeclaredOptions['errors']>,
): StatusResult => ({
  outcome: 'failed',
  ...reasonFor(error, errors),
  detail: detailOf(error, 'failed without an error'),
});
