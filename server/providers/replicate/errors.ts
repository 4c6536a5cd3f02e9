/** Maps Replicate's errors, which are messages without codes, to start results and failures. */
import type { ProviderFailure } from '../provider.ts';
import { createErrors } from '../toolkit/async-adapter.ts';
import {
  failureOf,
  isRejection,
  type RejectionContext,
  rejectedInputIn,
  rejectedPartIn,
} from '../toolkit/rejected-part.ts';
import { asRecord, asText, joinDetail } from '../toolkit/response-values.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';

/**
 * Reads `{"detail": …}`, with or without a `title`, or `{"error": …}`. Returns undefined for a
 * response that Replicate did not write, such as a proxy's page.
 */
function readError({ json }: Pick<UpstreamResponse, 'json'>): string | undefined {
  const body = asRecord(json);
  const detail = asText(body?.detail) ?? asText(body?.error);
  const title = asText(body?.title);
  if (!detail) return title;
  return title && !detail.includes(title) ? `${title}: ${detail}` : detail;
}

const throttledSeconds = 30;

/** Reads "Your rate limit resets in ~30s.", for a response without `Retry-After`. */
function resetSeconds(message: string): number {
  const seconds = /resets in ~?(\d{1,4})\s?s/i.exec(message)?.[1];
  return seconds === undefined ? throttledSeconds : Math.min(Math.max(Number(seconds), 1), 600);
}

/** Reads the error of a prediction that was created and failed. */
export function failureFor(error: string | undefined, context: RejectionContext): ProviderFailure {
  const message = error ?? '';
  const detail = joinDetail([message], 'failed without an error');
  return failureOf(reasonFor(message, context), detail, rejectedPartIn(message, context));
}

/** E005 is Replicate's code for flagged input or output; models have their own messages. */
const rejectionMessage = /\bE005\b|flagged as sensitive|\bnsfw\b|SensitiveContent/i;
const rejectionVerb = /\b(block|reject|refus|flag|violat)/i;
/** "Moderation failed" is a rejection, "failed before moderation" is not. */
const moderationTerm = /\b(moderation|content policy|safety)\b/i;
/** E6716: the prediction could not be started in time. */
const timeoutMessage = /\bE6716\b|\btimed? ?out\b|\bdeadline\b/i;
const materialMessage = new RegExp(
  [
    String.raw`\b(download|fetch|access|decode|read|open|load)\w{0,9}\b.{0,40}\b(image|video)`,
    String.raw`\b(download|fetch|access|decode|read|open|load)\w{0,9}\b.{0,40}\baudio`,
    String.raw`\b(image|video|audio|file)s?\b.{0,60}\b(download|fetch|decode|unsupported|corrupt)`,
    String.raw`\binput\.(image|last_frame_image|reference_(images|videos|audios))\b`,
    String.raw`\binvalid (image|video|audio)\b`,
  ].join('|'),
  'i',
);

function reasonFor(message: string, { materials }: RejectionContext): ProviderFailure['reason'] {
  const since = message.slice(moderationTerm.exec(message)?.index ?? message.length);
  const isPlain = rejectionMessage.test(message) || /\bfail/i.test(since);
  if (isPlain || isRejection(message, rejectionVerb)) return 'rejected';
  if (materials && materialMessage.test(message)) return 'material';
  return timeoutMessage.test(message) ? 'timed_out' : 'failed';
}

export const errors = createErrors<string>({
  read: readError,
  parts: (message) => [message],
  throttledSeconds: (message = '') => resetSeconds(message),
  rejection: (message = '', { status, ...context }) => ({
    reason: [400, 422].includes(status) ? reasonFor(message, context) : 'failed',
    rejectedPart: rejectedInputIn(message, context),
  }),
});
