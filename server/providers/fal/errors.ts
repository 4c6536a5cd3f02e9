/**
 * fal's errors in our words: those of the model (`detail` as a list, with types) and those of the
 * platform (`detail` as a sentence, with an `error_type`). The question that costs money is whether
 * an error proves that nothing was created; where it does not, the answer is `unknown`.
 */
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { ProviderFailure, StartResult } from '../provider.ts';
import { rejectedInputIn, rejectedPartField, rejectedPartIn } from '../toolkit/rejected-part.ts';
import { asRecord, asText, parseRetryAfter, toSingleLine } from '../toolkit/response-values.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';

export type FalError = {
  /** Empty where there is none. */
  readonly type: string;
  /** The input it complains about, where it says. */
  readonly field: string;
  readonly message: string;
};

/** Undefined: not in fal's own words. */
export function readError({
  json,
  headers,
}: Pick<UpstreamResponse, 'json' | 'headers'>): FalError | undefined {
  const body = asRecord(json);
  const errorType = asText(headers['x-fal-error-type']) ?? asText(body?.error_type) ?? '';
  const first = asRecord(Array.isArray(body?.detail) ? body.detail[0] : body?.detail);
  if (first) {
    const location = Array.isArray(first.loc) ? first.loc : [];
    return {
      type: asText(first.type) ?? errorType,
      field: location.filter((part) => part !== 'body').join('.'),
      message: asText(first.msg) ?? '',
    };
  }
  const message = asText(body?.detail) ?? asText(body?.message) ?? asText(body?.error);
  return message || errorType ? { type: errorType, field: '', message: message ?? '' } : undefined;
}

export const detailOf = (error: FalError | undefined, fallback: string): string => {
  const parts = [error?.type, error?.field, error?.message].filter((part) => part);
  return toSingleLine(parts.join(': ')) || fallback;
};

const throttledSeconds = 20;

/** The submit was answered with something else than a request. */
export function parseStartResult(response: UpstreamResponse): StartResult {
  const { status } = response;
  const error = readError(response);
  const detail = detailOf(error, `HTTP ${status}`);
  // A redirect or a 4xx was decided before anything was queued; a 5xx, or a proxy that gave up
  // waiting (408, 499), says nothing about what happens behind it. 409 is not documented here.
  const provesNothingCreated = status >= 300 && status < 500 && ![408, 409, 499].includes(status);
  if (!provesNothingCreated) return { outcome: 'unknown', detail };
  if (status === 429) {
    const retryAfterSeconds = parseRetryAfter(response.headers) ?? throttledSeconds;
    return { outcome: 'throttled', retryAfterSeconds, detail };
  }
  const reason = [400, 422].includes(status) ? reasonFor(error) : 'failed';
  // Refused content and broken files would be refused elsewhere too. All else is between fal and
  // us (key, balance, app, an input it dislikes): another may well make it.
  const canFailOver = !['rejected', 'material'].includes(reason);
  const part =
    reason === 'rejected' ? (partFromField(error) ?? inputFromMessage(error)) : undefined;
  return { outcome: 'refused', canFailOver, reason, detail, ...rejectedPartField(part) };
}

/** A request that has ended with an error instead of a result. */
export function failureFor(response: UpstreamResponse): ProviderFailure {
  const error = readError(response);
  const reason = reasonFor(error);
  const detail = detailOf(error, `HTTP ${response.status}`);
  if (reason === 'failed' && response.status === 504) return { reason: 'timed_out', detail };
  const part = reason === 'rejected' ? (partFromField(error) ?? partFromMessage(error)) : undefined;
  return { reason, detail, ...rejectedPartField(part) };
}

/** The place of a refusal is the input it was found in. */
function partFromField(error: FalError | undefined): RejectedPart | undefined {
  if (!error?.field) return undefined;
  if (/^prompt\b/.test(error.field)) return 'prompt';
  return /(image|video|audio)_urls?\b/.test(error.field) ? 'material' : 'input';
}

/** Elsewhere only the words tell; which files were sent along is not known here. */
const partFromMessage = (error: FalError | undefined) =>
  rejectedPartIn(error?.message ?? '', { materials: true });
const inputFromMessage = (error: FalError | undefined) =>
  rejectedInputIn(error?.message ?? '', { materials: true });

/** Nobody has to read words: "rely on the type field". Untyped refusals are told by theirs. */
const rejectedTypes = /^content_policy_violation$|nsfw|sensitive|moderation/i;
const rejectionMessage = /\b(content policy|sensitive content|flagged|nsfw|moderation)\b/i;
const materialTypes = new RegExp(
  [
    '^(file|image|video|audio)_(download|load|too|format|duration|dimension|size|parse)',
    '^(unsupported|invalid)_(file|image|video|audio)',
    '^file_',
    '_(too_large|too_small)$',
  ].join('|'),
  'i',
);
const timeoutTypes = /^(request|startup|generation|runner_connection)_timeout$/i;

function reasonFor(error: FalError | undefined): ProviderFailure['reason'] {
  if (!error) return 'failed';
  if (rejectedTypes.test(error.type) || rejectionMessage.test(error.message)) return 'rejected';
  if (materialTypes.test(error.type)) return 'material';
  return timeoutTypes.test(error.type) ? 'timed_out' : 'failed';
}

/** The result was asked for before it was there; nothing else tells it from an error. */
export const isStillInProgress = (response: UpstreamResponse): boolean =>
  /still in progress/i.test(readError(response)?.message ?? '');

/** A server error without a type: how the request ended, or the word of a gateway before it. */
export function isPlainServerError(response: UpstreamResponse): boolean {
  const error = readError(response);
  return response.status >= 500 && error?.type === '' && !isStillInProgress(response);
}
