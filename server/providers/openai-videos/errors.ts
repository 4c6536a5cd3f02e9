/**
 * Errors of `/v1/videos` servers in our words. The one question that costs money is whether an
 * error proves that nothing was created; where it does not, the answer is `unknown`.
 */

import type { ProviderFailure, StartResult } from '../provider.ts';
import { rejectedInputIn, rejectedPartField, rejectedPartIn } from '../toolkit/rejected-part.ts';
import { asRecord, asText, parseRetryAfter, toSingleLine } from '../toolkit/response-values.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';

export type OpenAiVideosError = {
  /** Its code or, where there is none, its type; empty where it has neither. */
  readonly code: string;
  readonly message: string;
  /** The field it complains about, where it says. */
  readonly field: string;
};

/** OpenAI's shape, FastAPI's `detail`, a gateway's flat one, and a bare sentence. */
export function readError({ json }: UpstreamResponse): OpenAiVideosError | undefined {
  const body = asRecord(json);
  if (!body) return undefined;
  if ('detail' in body) return detailError(body.detail);
  const nested = videoError(body.error);
  if (nested) return nested;
  const code = codeOf(body.code);
  return code === '' ? undefined : { code, message: asText(body.message) ?? '', field: '' };
}

/** The `error` of a failed video, or of an answer: the same shape. vLLM-Omni's code is a number. */
export function videoError(error: unknown): OpenAiVideosError | undefined {
  const text = asText(error);
  if (text) return { code: '', message: text, field: '' };
  const record = asRecord(error);
  if (!record) return undefined;
  const code = codeOf(record.code) || codeOf(record.type);
  return { code, message: asText(record.message) ?? '', field: asText(record.param) ?? '' };
}

/** A sentence, or a list of what is wrong with each field. */
function detailError(detail: unknown): OpenAiVideosError | undefined {
  const text = asText(detail);
  if (text) return { code: '', message: text, field: '' };
  const first = asRecord(Array.isArray(detail) ? detail[0] : detail);
  if (!first) return undefined;
  const location = Array.isArray(first.loc) ? first.loc : [];
  return {
    code: codeOf(first.type) || codeOf(first.code),
    message: asText(first.msg) ?? asText(first.message) ?? '',
    field: location.filter((part) => part !== 'body').join('.'),
  };
}

const codeOf = (value: unknown): string =>
  typeof value === 'number' ? String(value) : (asText(value) ?? '');

export type OpenAiVideosErrorContext = {
  /** Whether a picture was sent: only then can a complaint be about the customer's. */
  readonly hasImage: boolean;
};

/** What tells a 429 that ends by itself from one that only the operator can end. */
const accountCodes = /^(insufficient_quota|billing_\w+|quota_exceeded)$/;
const throttledSeconds = 20;

/** The create was answered with something else than a video. */
export function parseStartResult(
  response: UpstreamResponse,
  context: OpenAiVideosErrorContext,
): StartResult {
  const error = readError(response);
  const detail = detailOf(error, `HTTP ${response.status}`);
  if (!provesNothingCreated(response.status, error)) return { outcome: 'unknown', detail };
  if (response.status === 429 && !accountCodes.test(error?.code ?? '')) {
    const retryAfterSeconds = parseRetryAfter(response.headers) ?? throttledSeconds;
    return { outcome: 'throttled', retryAfterSeconds, detail };
  }
  const reason = [401, 403, 429].includes(response.status) ? 'failed' : reasonFor(error, context);
  // Refused content and broken pictures would be refused elsewhere too. All else is between the
  // upstream and us (key, account, model, a size it does not make): another may well do it.
  const canFailOver = reason === 'failed';
  const sent = { materials: context.hasImage };
  const part = reason === 'rejected' ? rejectedInputIn(fieldAndMessage(error), sent) : undefined;
  return { outcome: 'refused', canFailOver, reason, detail, ...rejectedPartField(part) };
}

/** vLLM-Omni's, where it has no video model to ask, or cannot read what it is asked for. */
const preCreationMessage = /\bnot initialized\b|^Video generation setup failed\b/i;

/**
 * A redirect or a 4xx was decided before anything was created; a 5xx, or a proxy that gave up
 * waiting (408, 499), says nothing about what happens behind it, unless in words that are known to
 * come before. 409 is not documented for create.
 */
function provesNothingCreated(status: number, error: OpenAiVideosError | undefined): boolean {
  if (status >= 500) return preCreationMessage.test(error?.message ?? '');
  return status >= 300 && ![408, 409, 499].includes(status);
}

/** A video that was created and has failed. */
export function failureFor(
  error: OpenAiVideosError | undefined,
  context: OpenAiVideosErrorContext,
): ProviderFailure {
  const detail = detailOf(error, 'failed without an error');
  if (['408', '504'].includes(error?.code ?? '')) return { reason: 'timed_out', detail };
  const reason = reasonFor(error, context);
  const sent = { materials: context.hasImage };
  const part = reason === 'rejected' ? rejectedPartIn(fieldAndMessage(error), sent) : undefined;
  return { reason, detail, ...rejectedPartField(part) };
}

const fieldAndMessage = (error: OpenAiVideosError | undefined): string =>
  `${error?.field ?? ''} ${error?.message ?? ''}`;

/** How codes and types name refused content. */
const rejectedCodes = /moderation|content_?(policy|filter)|safety|nsfw|sensitive|guardrail/i;
/** In words, only with a verb: that a safety checker could not be loaded is no refusal. */
const moderationTerms = String.raw`\b(moderation|guardrails?|safety|content policy|nsfw)\b`;
const rejectionTerms = String.raw`\b(block|reject|refus|flag|violat|unsafe)\w*`;
const rejectionMessage = new RegExp(
  `${moderationTerms}.*${rejectionTerms}|${rejectionTerms}.*${moderationTerms}`,
  'is',
);
/** What a bad picture is called. */
const imageErrorMessage =
  /input_reference|(reference|uploaded|input) image|image (reference|source)/i;

function reasonFor(
  error: OpenAiVideosError | undefined,
  { hasImage }: OpenAiVideosErrorContext,
): 'rejected' | 'material' | 'failed' {
  if (!error) return 'failed';
  if (rejectedCodes.test(error.code) || rejectionMessage.test(error.message)) return 'rejected';
  return hasImage && imageErrorMessage.test(fieldAndMessage(error)) ? 'material' : 'failed';
}

/** FastAPI says "Not Found" of a path, OpenAI "Invalid URL", others something with a route. */
const unknownPathMessage = /^not found$|invalid url|\b(route|path|page|endpoint)\b/i;

/**
 * A 404 in the upstream's own words about the video itself. An unknown path is answered with a 404
 * too, but that is a wrong address, no lost video.
 */
export function isVideoNotFound(response: UpstreamResponse): boolean {
  const error = response.status === 404 ? readError(response) : undefined;
  return error !== undefined && !unknownPathMessage.test(error.message.trim());
}

/** For the operator's log, with the code and the field first. */
export function detailOf(error: OpenAiVideosError | undefined, fallback: string): string {
  if (!error) return fallback;
  const parts = [error.code, error.field, error.message].filter((part) => part !== '');
  return toSingleLine(parts.join(': ')) || fallback;
}
