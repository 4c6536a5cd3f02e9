/**
 * fal's errors in our words: those of the model (`detail` as a list, with types) and those of the
 * platform (`detail` as a sentence, with an `error_type`). The question that costs money is whether
 * an error proves that nothing was created; where it does not, the answer is `unknown`.
 */
import type { RefusedPart } from '@vidgen/contract/failure-sentences.ts';
import type { ProviderFailure, StartAnswer } from '../provider.ts';
import { asRecord, asText, onOneLine, toldWaitSeconds } from '../toolkit/answer-values.ts';
import { refusedField, refusedInputIn, refusedPartIn } from '../toolkit/refused-part.ts';
import type { UpstreamAnswer } from '../toolkit/upstream.ts';

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
}: Pick<UpstreamAnswer, 'json' | 'headers'>): FalError | undefined {
  const body = asRecord(json);
  const told = asText(headers['x-fal-error-type']) ?? asText(body?.error_type) ?? '';
  const first = asRecord(Array.isArray(body?.detail) ? body.detail[0] : body?.detail);
  if (first) {
    const place = Array.isArray(first.loc) ? first.loc : [];
    return {
      type: asText(first.type) ?? told,
      field: place.filter((part) => part !== 'body').join('.'),
      message: asText(first.msg) ?? '',
    };
  }
  const message = asText(body?.detail) ?? asText(body?.message) ?? asText(body?.error);
  return message || told ? { type: told, field: '', message: message ?? '' } : undefined;
}

export const detailOf = (error: FalError | undefined, otherwise: string): string => {
  const parts = [error?.type, error?.field, error?.message].filter((part) => part);
  return onOneLine(parts.join(': ')) || otherwise;
};

const throttledSeconds = 20;

/** The submit was answered with something else than a request. */
export function startAnswerFor(answer: UpstreamAnswer): StartAnswer {
  const { status } = answer;
  const error = readError(answer);
  const detail = detailOf(error, `HTTP ${status}`);
  // A redirect or a 4xx was decided before anything was queued; a 5xx, or a proxy that gave up
  // waiting (408, 499), says nothing about what happens behind it. 409 is not documented here.
  const provesNothingCreated = status >= 300 && status < 500 && ![408, 409, 499].includes(status);
  if (!provesNothingCreated) return { outcome: 'unknown', detail };
  if (status === 429) {
    const retryAfterSeconds = toldWaitSeconds(answer.headers) ?? throttledSeconds;
    return { outcome: 'throttled', retryAfterSeconds, detail };
  }
  const reason = [400, 422].includes(status) ? reasonFor(error) : 'failed';
  // Refused content and broken files would be refused elsewhere too. All else is between fal and
  // us (key, balance, app, an input it dislikes): another may well make it.
  const tryAnother = !['rejected', 'material'].includes(reason);
  const part = reason === 'rejected' ? (partAt(error) ?? wordedInput(error)) : undefined;
  return { outcome: 'refused', tryAnother, reason, detail, ...refusedField(part) };
}

/** A request that has ended with an error instead of a result. */
export function failureFor(answer: UpstreamAnswer): ProviderFailure {
  const error = readError(answer);
  const reason = reasonFor(error);
  const detail = detailOf(error, `HTTP ${answer.status}`);
  if (reason === 'failed' && answer.status === 504) return { reason: 'timed_out', detail };
  const part = reason === 'rejected' ? (partAt(error) ?? wordedPart(error)) : undefined;
  return { reason, detail, ...refusedField(part) };
}

/** The place of a refusal is the input it was found in. */
function partAt(error: FalError | undefined): RefusedPart | undefined {
  if (!error?.field) return undefined;
  if (/^prompt\b/.test(error.field)) return 'prompt';
  return /(image|video|audio)_urls?\b/.test(error.field) ? 'material' : 'input';
}

/** Elsewhere only the words tell; which files were sent along is not known here. */
const wordedPart = (error: FalError | undefined) =>
  refusedPartIn(error?.message ?? '', { materials: true });
const wordedInput = (error: FalError | undefined) =>
  refusedInputIn(error?.message ?? '', { materials: true });

/** Nobody has to read words: "rely on the type field". Untyped refusals are told by theirs. */
const rejectedTypes = /^content_policy_violation$|nsfw|sensitive|moderation/i;
const rejectedWords = /\b(content policy|sensitive content|flagged|nsfw|moderation)\b/i;
const materialTypes = new RegExp(
  [
    '^(file|image|video|audio)_(download|load|too|format|duration|dimension|size|parse)',
    '^(unsupported|invalid)_(file|image|video|audio)',
    '^file_',
    '_(too_large|too_small)$',
  ].join('|'),
  'i',
);
const lateTypes = /^(request|startup|generation|runner_connection)_timeout$/i;

function reasonFor(error: FalError | undefined): ProviderFailure['reason'] {
  if (!error) return 'failed';
  if (rejectedTypes.test(error.type) || rejectedWords.test(error.message)) return 'rejected';
  if (materialTypes.test(error.type)) return 'material';
  return lateTypes.test(error.type) ? 'timed_out' : 'failed';
}

/** The result was asked for before it was there; nothing else tells it from an error. */
export const isStillInProgress = (answer: UpstreamAnswer): boolean =>
  /still in progress/i.test(readError(answer)?.message ?? '');

/** A server error without a type: how the request ended, or the word of a gateway before it. */
export function isPlainServerError(answer: UpstreamAnswer): boolean {
  const error = readError(answer);
  return answer.status >= 500 && error?.type === '' && !isStillInProgress(answer);
}
