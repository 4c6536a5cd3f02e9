/**
 * Errors of `/v1/videos` servers in our words. The one question that costs money is whether an
 * error proves that nothing was created; where it does not, the answer is `unknown`.
 */

import type { ProviderFailure, StartAnswer } from '../provider.ts';
import { asRecord, asText, onOneLine, toldWaitSeconds } from '../toolkit/answer-values.ts';
import { refusedField, refusedInputIn, refusedPartIn } from '../toolkit/refused-part.ts';
import type { UpstreamAnswer } from '../toolkit/upstream.ts';

export type UpstreamError = {
  /** Its code or, where there is none, its type; empty where it has neither. */
  readonly code: string;
  readonly message: string;
  /** The field it complains about, where it says. */
  readonly field: string;
};

/** OpenAI's shape, FastAPI's `detail`, a gateway's flat one, and a bare sentence. */
export function readError({ json }: UpstreamAnswer): UpstreamError | undefined {
  const body = asRecord(json);
  if (!body) return undefined;
  if ('detail' in body) return detailError(body.detail);
  const nested = videoError(body.error);
  if (nested) return nested;
  const code = codeOf(body.code);
  return code === '' ? undefined : { code, message: asText(body.message) ?? '', field: '' };
}

/** The `error` of a failed video, or of an answer: the same shape. vLLM-Omni's code is a number. */
export function videoError(error: unknown): UpstreamError | undefined {
  const text = asText(error);
  if (text) return { code: '', message: text, field: '' };
  const record = asRecord(error);
  if (!record) return undefined;
  const code = codeOf(record.code) || codeOf(record.type);
  return { code, message: asText(record.message) ?? '', field: asText(record.param) ?? '' };
}

/** A sentence, or a list of what is wrong with each field. */
function detailError(detail: unknown): UpstreamError | undefined {
  const text = asText(detail);
  if (text) return { code: '', message: text, field: '' };
  const first = asRecord(Array.isArray(detail) ? detail[0] : detail);
  if (!first) return undefined;
  const place = Array.isArray(first.loc) ? first.loc : [];
  return {
    code: codeOf(first.type) || codeOf(first.code),
    message: asText(first.msg) ?? asText(first.message) ?? '',
    field: place.filter((part) => part !== 'body').join('.'),
  };
}

const codeOf = (value: unknown): string =>
  typeof value === 'number' ? String(value) : (asText(value) ?? '');

export type StartSituation = {
  /** Whether a picture was sent: only then can a complaint be about the customer's. */
  readonly picture: boolean;
};

/** What tells a 429 that ends by itself from one that only the operator can end. */
const accountCodes = /^(insufficient_quota|billing_\w+|quota_exceeded)$/;
const throttledSeconds = 20;

/** The create was answered with something else than a video. */
export function startAnswerFor(answer: UpstreamAnswer, situation: StartSituation): StartAnswer {
  const error = readError(answer);
  const detail = detailOf(error, `HTTP ${answer.status}`);
  if (!provesNothingCreated(answer.status, error)) return { outcome: 'unknown', detail };
  if (answer.status === 429 && !accountCodes.test(error?.code ?? '')) {
    const retryAfterSeconds = toldWaitSeconds(answer.headers) ?? throttledSeconds;
    return { outcome: 'throttled', retryAfterSeconds, detail };
  }
  const reason = [401, 403, 429].includes(answer.status) ? 'failed' : reasonFor(error, situation);
  // Refused content and broken pictures would be refused elsewhere too. All else is between the
  // upstream and us (key, account, model, a size it does not make): another may well do it.
  const tryAnother = reason === 'failed';
  const sent = { materials: situation.picture };
  const part = reason === 'rejected' ? refusedInputIn(placeAndWords(error), sent) : undefined;
  return { outcome: 'refused', tryAnother, reason, detail, ...refusedField(part) };
}

/** vLLM-Omni's, where it has no video model to ask, or cannot read what it is asked for. */
const wordsBeforeCreating = /\bnot initialized\b|^Video generation setup failed\b/i;

/**
 * A redirect or a 4xx was decided before anything was created; a 5xx, or a proxy that gave up
 * waiting (408, 499), says nothing about what happens behind it, unless in words that are known to
 * come before. 409 is not documented for create.
 */
function provesNothingCreated(status: number, error: UpstreamError | undefined): boolean {
  if (status >= 500) return wordsBeforeCreating.test(error?.message ?? '');
  return status >= 300 && ![408, 409, 499].includes(status);
}

/** A video that was created and has failed. */
export function failureFor(
  error: UpstreamError | undefined,
  situation: StartSituation,
): ProviderFailure {
  const detail = detailOf(error, 'failed without an error');
  if (['408', '504'].includes(error?.code ?? '')) return { reason: 'timed_out', detail };
  const reason = reasonFor(error, situation);
  const sent = { materials: situation.picture };
  const part = reason === 'rejected' ? refusedPartIn(placeAndWords(error), sent) : undefined;
  return { reason, detail, ...refusedField(part) };
}

const placeAndWords = (error: UpstreamError | undefined): string =>
  `${error?.field ?? ''} ${error?.message ?? ''}`;

/** How codes and types name refused content. */
const rejectedCodes = /moderation|content_?(policy|filter)|safety|nsfw|sensitive|guardrail/i;
/** In words, only with a verb: that a safety checker could not be loaded is no refusal. */
const judges = String.raw`\b(moderation|guardrails?|safety|content policy|nsfw)\b`;
const verdicts = String.raw`\b(block|reject|refus|flag|violat|unsafe)\w*`;
const rejectedWords = new RegExp(`${judges}.*${verdicts}|${verdicts}.*${judges}`, 'is');
/** What a bad picture is called. */
const pictureWords = /input_reference|(reference|uploaded|input) image|image (reference|source)/i;

function reasonFor(
  error: UpstreamError | undefined,
  { picture }: StartSituation,
): 'rejected' | 'material' | 'failed' {
  if (!error) return 'failed';
  if (rejectedCodes.test(error.code) || rejectedWords.test(error.message)) return 'rejected';
  return picture && pictureWords.test(placeAndWords(error)) ? 'material' : 'failed';
}

/** FastAPI says "Not Found" of a path, OpenAI "Invalid URL", others something with a route. */
const wordsOfPaths = /^not found$|invalid url|\b(route|path|page|endpoint)\b/i;

/**
 * A 404 in the upstream's own words about the video itself. An unknown path is answered with a 404
 * too, but that is a wrong address, no lost video.
 */
export function saysVideoIsGone(answer: UpstreamAnswer): boolean {
  const error = answer.status === 404 ? readError(answer) : undefined;
  return error !== undefined && !wordsOfPaths.test(error.message.trim());
}

/** For the operator's log, with the code and the field first. */
export function detailOf(error: UpstreamError | undefined, otherwise: string): string {
  if (!error) return otherwise;
  const parts = [error.code, error.field, error.message].filter((part) => part !== '');
  return onOneLine(parts.join(': ')) || otherwise;
}
