/**
 * Replicate's errors in our words. The one question that costs money is whether an error proves
 * that nothing was created; where it does not, the answer is `unknown`.
 */

import type { ProviderFailure, StartAnswer } from '../provider.ts';
import { asRecord, asText, onOneLine, toldWaitSeconds } from '../toolkit/answer-values.ts';
import { refusedField, refusedInputIn, refusedPartIn } from '../toolkit/refused-part.ts';
import type { UpstreamAnswer } from '../toolkit/upstream.ts';

/** `{"detail": …}`, with or without a `title`; sometimes `{"error": …}`. Undefined: not its own. */
export function readError({ json }: Pick<UpstreamAnswer, 'json'>): string | undefined {
  const body = asRecord(json);
  const detail = asText(body?.detail) ?? asText(body?.error);
  const title = asText(body?.title);
  if (!detail) return title;
  return title && !detail.includes(title) ? `${title}: ${detail}` : detail;
}

export type Situation = {
  /** Whether files were sent along: only then can a complaint be about the customer's. */
  readonly materials: boolean;
};

const throttledSeconds = 30;

/** The create was answered with something else than a prediction. */
export function startAnswerFor(answer: UpstreamAnswer, situation: Situation): StartAnswer {
  const { status } = answer;
  const words = readError(answer) ?? '';
  const detail = onOneLine(words) || `HTTP ${status}`;
  // A redirect or a 4xx was decided before anything was created; a 5xx, or a proxy that gave up
  // waiting (408, 499), says nothing about what happens behind it. 409 is not documented here.
  const provesNothingCreated = status >= 300 && status < 500 && ![408, 409, 499].includes(status);
  if (!provesNothingCreated) return { outcome: 'unknown', detail };
  if (status === 429) {
    const retryAfterSeconds = toldWaitSeconds(answer.headers) ?? resetSeconds(words);
    return { outcome: 'throttled', retryAfterSeconds, detail };
  }
  const reason = [400, 422].includes(status) ? reasonFor(words, situation) : 'failed';
  // Refused content and broken files would be refused elsewhere too. All else is between Replicate
  // and us (token, credit, model, an input it dislikes): another may well make it.
  const tryAnother = reason === 'failed' || reason === 'timed_out';
  const part = reason === 'rejected' ? refusedInputIn(words, situation) : undefined;
  return { outcome: 'refused', tryAnother, reason, detail, ...refusedField(part) };
}

/** "Your rate limit resets in ~30s.", where no header tells. */
function resetSeconds(words: string): number {
  const told = /resets in ~?(\d{1,4})\s?s/i.exec(words)?.[1];
  return told === undefined ? throttledSeconds : Math.min(Math.max(Number(told), 1), 600);
}

/** A prediction that was created and has failed. */
export function failureFor(error: string | undefined, situation: Situation): ProviderFailure {
  const words = error ?? '';
  const reason = reasonFor(words, situation);
  const part = reason === 'rejected' ? refusedPartIn(words, situation) : undefined;
  const detail = onOneLine(words) || 'failed without an error';
  return { reason, detail, ...refusedField(part) };
}

/** E005 is Replicate's own code for flagged input or output; models have words of their own. */
const rejectedWords = new RegExp(
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
const lateWords = /\bE6716\b|\btimed? ?out\b|\bdeadline\b/i;
const materialWords = new RegExp(
  [
    String.raw`\b(download|fetch|access|decode|read|open|load)\w*\b.{0,40}\b(image|video|audio)`,
    String.raw`\b(image|video|audio|file)s?\b.{0,60}\b(download|fetch|decode|unsupported|corrupt)`,
    String.raw`\binput\.(image|last_frame_image|reference_(images|videos|audios))\b`,
    String.raw`\binvalid (image|video|audio)\b`,
  ].join('|'),
  'i',
);

function reasonFor(words: string, { materials }: Situation): ProviderFailure['reason'] {
  if (rejectedWords.test(words)) return 'rejected';
  if (materials && materialWords.test(words)) return 'material';
  return lateWords.test(words) ? 'timed_out' : 'failed';
}
