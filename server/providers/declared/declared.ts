/**
 * A provider that is described by data: what to send, where values are in the responses and what
 * the codes mean. Without a header that drops duplicates, a start with a lost response is never
 * repeated.
 */
import type { CancelResult, Provider, ResultSource, StatusResult } from '../provider.ts';
import type { ClientOptions, ReadResult } from '../toolkit/client.ts';
import { authenticatedSource } from '../toolkit/downloads.ts';
import { valueAt } from '../toolkit/json-path.ts';
import { fillTemplate } from '../toolkit/placeholders.ts';
import { failureOf } from '../toolkit/rejected-part.ts';
import { asOperation, asText, asUrl } from '../toolkit/response-values.ts';
import { notConfigured, toStartResult } from '../toolkit/start-result.ts';
import {
  failed,
  pending,
  readState,
  toStatusResult,
  unknownStatus,
} from '../toolkit/status-result.ts';
import { isSuccess, type UpstreamOutcome } from '../toolkit/upstream.ts';
import { unsupportedReason, valuesFor } from './body.ts';
import { createDeclaredCalls, type DeclaredCalls } from './calls.ts';
import {
  detailOf,
  errorReaderFor,
  parseStartResult,
  readError,
  readStatus,
  reasonFor,
} from './responses.ts';
import type { DeclaredSettings } from './settings.ts';

export type DeclaredOptions = Omit<DeclaredSettings, 'kind' | 'apiKey' | 'supports'> &
  ClientOptions & { readonly name: string };

const defaultPollSeconds = 10;

export function createDeclared(options: DeclaredOptions): Provider {
  const calls = createDeclaredCalls(options);
  return {
    name: options.name,
    protection: options.start.idempotencyKeyHeader ? 'idempotency-key' : 'none',
    unsupportedReason: (generation) => unsupportedReason(generation, options),
    typicalSeconds: ({ duration }) => options.usualSeconds ?? 60 + 8 * Math.max(duration, 5),

    async start(request) {
      const { model } = request.generation;
      if (!options.models[model]) {
        return notConfigured(`${options.name} has no model name for ${model}`);
      }
      const body = fillTemplate(options.start.body, valuesFor(request, options));
      return startResultOf(await calls.start(body, request.reference), options);
    },

    status: async ({ operation, signal }) =>
      toStatusResult(await calls.status(operation, signal), {
        ...errorReaderFor(options.errors ?? {}),
        signal,
        pollSeconds: pollSecondsOf(options),
        success: ({ json }) => operationResult(json, { options, calls, operation }),
      }),

    cancel: (operation) => cancel(options, calls, operation),
    close: calls.close,
  };
}

const pollSecondsOf = ({ askAgainSeconds = defaultPollSeconds }: DeclaredOptions) =>
  askAgainSeconds;

function startResultOf(outcome: UpstreamOutcome, { start, errors = {} }: DeclaredOptions) {
  const operationIn = (json: unknown): string | undefined => {
    const id = valueAt(json, start.operation);
    return asOperation(typeof id === 'number' ? String(id) : id);
  };
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

type StatusContext = {
  readonly options: DeclaredOptions;
  readonly calls: DeclaredCalls;
  readonly operation: string;
};

function operationResult(json: unknown, context: StatusContext): StatusResult {
  const { options } = context;
  const errors = options.errors ?? {};
  const error = readError(json, errors);
  const { state, rawState, progress, outputSeconds } = readStatus(json, options.status);
  switch (state) {
    case undefined:
      return unknownStatus(rawState, pollSecondsOf(options));
    case 'queued':
    case 'running':
      return pending(pollSecondsOf(options), progress);
    case 'completed':
      return completedResult(json, outputSeconds, context);
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

function completedResult(
  json: unknown,
  outputSeconds: number | undefined,
  { options, calls, operation }: StatusContext,
): StatusResult {
  const { video, lastFrame, videoPath } = options.status;
  const withKey = options.results === 'with-key';
  const source =
    videoPath === undefined
      ? sourceAt(json, video!, { calls, withKey })
      : sourceWithKey(calls, calls.videoPath(operation));
  if (!source) return failed('failed', 'completed without a video');
  const frame = lastFrame === undefined ? null : sourceAt(json, lastFrame, { calls, withKey });
  return {
    outcome: 'completed',
    video: source,
    ...(frame ? { lastFrame: frame } : {}),
    ...(outputSeconds ? { outputSeconds } : {}),
  };
}

/**
 * Returns null when the response has no URL there. The API key goes to the configured host only.
 */
function sourceAt(
  json: unknown,
  path: string,
  { calls, withKey }: { readonly calls: DeclaredCalls; readonly withKey: boolean },
): ResultSource | null {
  const urlOrPath = asText(valueAt(json, path));
  if (urlOrPath === undefined) return null;
  // With the key it may be a path; a public URL is always complete.
  const hostUrl = withKey ? calls.resolveOnHost(urlOrPath) : null;
  if (hostUrl !== null) return sourceWithKey(calls, hostUrl);
  const url = asUrl(urlOrPath);
  return url === undefined ? null : { url };
}

const sourceWithKey = (calls: DeclaredCalls, pathOrUrl: string): ResultSource =>
  authenticatedSource(
    (saveOptions) => calls.save(pathOrUrl, saveOptions),
    ({ status }) => `HTTP ${status}`,
  );

/** A cancel counts only when another read shows that it took effect. */
async function cancel(
  options: DeclaredOptions,
  calls: DeclaredCalls,
  operation: string,
): Promise<CancelResult> {
  const before = cancelState(await calls.status(operation), options);
  const from: readonly string[] = options.cancel?.from ?? [];
  if (!options.cancel || !from.includes(before)) return before === 'queued' ? 'running' : before;
  await calls.cancel(operation, options.cancel);
  const after = cancelState(await calls.status(operation), options);
  // It may still stop later.
  return after === 'queued' || after === 'running' ? 'unknown' : after;
}

const cancelState = (result: ReadResult, options: DeclaredOptions): CancelResult | 'queued' =>
  readState(result, {
    ...errorReaderFor(options.errors ?? {}),
    state(json): CancelResult | 'queued' {
      const { state } = readStatus(json, options.status);
      switch (state) {
        case undefined:
          return 'unknown';
        case 'queued':
        case 'running':
          return state;
        case 'cancelled':
          return 'stopped';
        default:
          return 'ended';
      }
    },
  });
