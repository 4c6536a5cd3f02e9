/**
 * A provider that is described by data: what to send, where things stand in the answers and what
 * the words mean. It promises no more than the description proves: without a header that drops
 * duplicates, a start whose answer was lost is never repeated.
 */

import type { CancelResult, Provider, StartResult, StatusResult } from '../provider.ts';
import { valueAt } from '../toolkit/json-path.ts';
import { fillTemplate } from '../toolkit/placeholders.ts';
import { rejectedPartField } from '../toolkit/rejected-part.ts';
import { asOperation, parseRetryAfter } from '../toolkit/response-values.ts';
import { acceptedResult, isSuccessStatus, startResultOf } from '../toolkit/start-outcome.ts';
import { type ReadResult, throttledStatus } from '../toolkit/throttled-get.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { unsupportedReason, valuesFor } from './body.ts';
import { createDeclaredCalls, type DeclaredCallOptions, type DeclaredCalls } from './calls.ts';
import {
  detailOf,
  type ParsedStatus,
  parseStartResult,
  readError,
  readStatus,
  reasonFor,
} from './responses.ts';
import { sourceAt, sourceWithKey } from './results.ts';
import type { DeclaredSettings } from './settings.ts';

export type DeclaredOptions = Omit<DeclaredSettings, 'kind' | 'apiKey' | 'supports'> &
  DeclaredCallOptions & { readonly name: string };

const defaults = { pollAfterSeconds: 10 };

type DeclaredContext = { readonly options: DeclaredOptions; readonly calls: DeclaredCalls };

export function createDeclared(options: DeclaredOptions): Provider {
  const context: DeclaredContext = { options, calls: createDeclaredCalls(options) };
  const { calls } = context;
  return {
    name: options.name,
    protection: options.start.idempotencyKeyHeader ? 'idempotency-key' : 'none',
    unsupportedReason: (generation) => unsupportedReason(generation, options),
    typicalSeconds: ({ duration }) => options.usualSeconds ?? 60 + 8 * Math.max(duration, 5),

    async start(request) {
      if (!options.models[request.generation.model]) {
        const detail = `${options.name} has no model name for ${request.generation.model}`;
        return { outcome: 'refused', canFailOver: true, reason: 'failed', detail };
      }
      const body = fillTemplate(options.start.body, valuesFor(request, options));
      return toStartResult(await calls.start(body, request.reference), options);
    },

    async status({ operation, signal }) {
      const readResult = await calls.status(operation, signal);
      const result = toStatusResult(readResult, context, operation);
      // Whoever gave up waiting knows why: that is no trouble to tell the operator of.
      return signal.aborted ? pending(options) : result;
    },

    cancel: (operation) => cancel(context, operation),
    close: () => calls.close(),
  };
}

const toStartResult = (outcome: UpstreamOutcome, options: DeclaredOptions): StartResult =>
  startResultOf(outcome, (response) => {
    const errors = options.errors ?? {};
    if (!isSuccessStatus(response)) return parseStartResult(response, errors);
    const operationId = valueAt(response.json, options.start.operation);
    const operation = asOperation(
      typeof operationId === 'number' ? String(operationId) : operationId,
    );
    // Some answer 200 and mean an error; whatever it is, an id would have been there.
    const isError = !operation && readError(response.json, errors);
    return isError ? parseStartResult(response, errors) : acceptedResult(operation, response);
  });

const pending = (
  options: DeclaredOptions,
  details: { alert?: string; waitSeconds?: number } = {},
) => {
  const { alert, waitSeconds = 0 } = details;
  const seconds = options.askAgainSeconds ?? defaults.pollAfterSeconds;
  const pollAfterSeconds = Math.max(seconds, waitSeconds);
  return { outcome: 'pending', pollAfterSeconds, ...(alert ? { alert } : {}) } as const;
};

/** Whatever keeps us from reading an operation says nothing about it: it stays pending. */
function toStatusResult(
  readResult: ReadResult,
  context: DeclaredContext,
  operation: string,
): StatusResult {
  const { options } = context;
  if (readResult.kind === 'busy') return throttledStatus(readResult);
  if (readResult.kind !== 'answered') return pending(options, { alert: readResult.detail });
  const { status, json } = readResult;
  const error = readError(json, options.errors ?? {});
  if (status < 200 || status > 299) {
    const detail = detailOf(error, `HTTP ${status}`);
    // In the upstream's own words only: a proxy's 404 does not mean that the operation is gone.
    if (status === 404 && error) return { outcome: 'lost', detail };
    const waitSeconds = parseRetryAfter(readResult.headers) ?? 0;
    return pending(options, status === 429 ? { waitSeconds } : { alert: detail });
  }
  const parsed = readStatus(json, options.status);
  switch (parsed.state) {
    case undefined: {
      const rawState = JSON.stringify(parsed.rawState?.slice(0, 100) ?? null);
      return pending(options, { alert: `unknown status ${rawState}` });
    }
    case 'queued':
    case 'running':
      return {
        ...pending(options),
        ...(parsed.progress === undefined ? {} : { progress: parsed.progress }),
      };
    case 'completed':
      return completedResult(json, parsed, { ...context, operation });
    case 'failed': {
      const detail = detailOf(error, 'failed without an error');
      return { outcome: 'failed', ...reasonFor(error, options.errors ?? {}), detail };
    }
    case 'rejected':
      return rejectedResult(error, options);
    case 'expired':
      return { outcome: 'failed', reason: 'timed_out', detail: detailOf(error, 'expired') };
    case 'cancelled':
      return { outcome: 'failed', reason: 'failed', detail: 'cancelled at the upstream' };
  }
}

/** The state alone is the verdict; the code may tell what of the content was refused. */
function rejectedResult(
  error: ReturnType<typeof readError>,
  { errors = {} }: DeclaredOptions,
): StatusResult {
  const { rejectedPart } = reasonFor(error, errors, 'rejected');
  const detail = detailOf(error, 'content refused');
  return { outcome: 'failed', reason: 'rejected', detail, ...rejectedPartField(rejectedPart) };
}

function completedResult(
  json: unknown,
  { outputSeconds }: ParsedStatus,
  { options, calls, operation }: DeclaredContext & { readonly operation: string },
): StatusResult {
  const { video, lastFrame, videoPath } = options.status;
  const sourceOptions = { calls, withKey: options.results === 'with-key' };
  const source =
    videoPath === undefined
      ? sourceAt(json, video!, sourceOptions)
      : sourceWithKey(calls, calls.videoUrl(operation));
  if (!source) return { outcome: 'failed', reason: 'failed', detail: 'completed without a video' };
  const frame = lastFrame === undefined ? null : sourceAt(json, lastFrame, sourceOptions);
  return {
    outcome: 'completed',
    video: source,
    ...(frame ? { lastFrame: frame } : {}),
    ...(outputSeconds ? { outputSeconds } : {}),
  };
}

/** The word is believed only when another look shows that it was heeded. */
async function cancel(
  { options, calls }: DeclaredContext,
  operation: string,
): Promise<CancelResult> {
  const before = cancelState(await calls.status(operation), options);
  const from: readonly string[] = options.cancel?.from ?? [];
  if (!from.includes(before)) return before === 'queued' ? 'running' : before;
  await calls.cancel(operation);
  const after = cancelState(await calls.status(operation), options);
  // It still waits or runs: that the word is not heeded yet does not mean that it never will be.
  return after === 'queued' || after === 'running' ? 'unknown' : after;
}

/** What a state means to someone who wants the operation stopped. */
function cancelState(readResult: ReadResult, options: DeclaredOptions): CancelResult | 'queued' {
  if (readResult.kind !== 'answered') return 'unknown';
  if (readResult.status === 404 && readError(readResult.json, options.errors ?? {})) return 'ended';
  const isRead = readResult.status >= 200 && readResult.status < 300;
  const state = isRead ? readStatus(readResult.json, options.status).state : undefined;
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
}
