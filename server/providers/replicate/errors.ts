/**
 * Replicate's errors in our words. The one question that costs money is whether an error proves
 * that nothing was created; where it does not, the answer is `unknown`.
 */

import type { ProviderFailure, StartResult } from '../provider.ts';
import { rejectedInputIn, rejectedPartField, rejectedPartIn } from '../toolkit/rejected-part.ts';
import { asRecord, asText, parseRetryAfter, toSingleLine } from '../toolkit/response-values.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';

/** `{"detail": …}`, with or without a `title`; sometimes `{"error": …}`. Undefined: not its own. */
export function readError({ json }: Pick<UpstreamResponse, 'json'>): string | undefined {
  const body = asRecord(json);
  const detail = asText(body?.detail) ?? asText(body?.error);
  const title = asText(body?.title);
  if (!detail) return title;
  return title && !detail.includes(title) ? `${title}: ${detail}` : detail;
}

export type ReplicateErrorContext = {
  /** Whether files were sent along: only then can a complaint be about the customer's. */
  readonly materials: boolean;
};

const throttledSeconds = 30;

/** The create was answered with something else than a prediction. */
export function parseStartResult(
  response: UpstreamResponse,
  context: ReplicateErrorContext,
): StartResult {
  const { status } = response;
  const message = readError(response) ?? '';
  const detail = toSingleLine(message) || `HTTP ${status}`;
  // A redirect or a 4xx was decided before anything was created; a 5xx, or a proxy that gave up
  // waiting (408, 499), says nothing about what happens behind it. 409 is not documented here.
  const provesNothingCreated = status >= 300 && status < 500 && ![408, 409, 499].includes(status);
  if (!provesNothingCreated) return { outcome: 'unknown', detail };
  if (status === 429) {
    const retryAfterSeconds = parseRetryAfter(response.headers) ?? resetSeconds(message);
    return { outcome: 'throttled', retryAfterSeconds, detail };
  }
  const reason = [400, 422].includes(status) ? reasonFor(message, context) : 'failed';
  // Refused content and broken files would be refused elsewhere too. All else is between Replicate
  // and us (token, credit, model, an input it dislikes): another may well make it.
  const canFailOver = reason === 'failed' || reason === 'timed_out';
  const part = reason === 'rejected' ? rejectedInputIn(message, context) : undefined;
  return { outcome: 'refused', canFailOver, reason, detail, ...rejectedPartField(part) };
}

/** "Your rate limit resets in ~30s.", where no header tells. */
function resetSeconds(message: string): number {
  const seconds = /resets in ~?(\d{1,4})\s?s/i.exec(message)?.[1];
  return seconds === undefined ? throttledSeconds : Math.min(Math.max(Number(seconds), 1), 600);
}

/** A prediction that was created and has failed. */
export function failureFor(
  error: string | undefined,
  context: ReplicateErrorContext,
): ProviderFailure {
  const message = error ?? '';
  const reason = reasonFor(message, context);
  const part = reason === 'rejected' ? rejectedPartIn(message, context) : undefined;
  const detail = toSingleLine(message) || 'failed without an error';
  return { reason, detail, ...rejectedPartField(part) };
}

/** E005 is Replicate's own code for flagged input or output; models have words of their own. */
const rejectionMessage = new RegExp(
  [
    String.raw`\bE005\b`,
    'flagged as sensitive',
    String.raw`\bnsfw\b`,
    'SensitiveContent',
    String.raw`\b(moderation|content policy|safety)\b.*\b(block|reject|refus|flag|violat|fail)\w*`,
    String.raw`\b(block|reject|refus|flag|violat)\w*.*\b(moderation|content policy|safety)\b`,
  ].join('|'),
  'is',
);
/** E6716 is a prediction that could not be started in time. */
const timeoutMessage = /\bE6716\b|\btimed? ?out\b|\bdeadline\b/i;
const materialMessage = new RegExp(
  [
    String.raw`\b(download|fetch|access|decode|read|open|load)\w*\b.{0,40}\b(image|video|audio)`,
    String.raw`\b(image|video|audio|file)s?\b.{0,60}\b(download|fetch|decode|unsupported|corrupt)`,
    String.raw`\binput\.(image|last_frame_image|reference_(images|videos|audios))\b`,
    String.raw`\binvalid (image|video|audio)\b`,
  ].join('|'),
  'i',
);

function reasonFor(
  message: string,
  { materials }: ReplicateErrorContext,
): ProviderFailure['reason'] {
  if (rejectionMessage.test(message)) return 'rejected';
  if (materials && materialMessage.test(message)) return 'material';
  return timeoutMessage.test(message) ? 'timed_out' : 'failed';
}
