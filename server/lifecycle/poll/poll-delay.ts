/**
 * Decides when a generation is polled again. The provider suggests an interval; the typical
 * duration stretches it: few polls in the first half, and fewer and fewer once the generation is
 * long overdue (Decision 0027). A provider callback brings the next poll forward.
 */
import type { StatusResult } from '../../providers/provider.ts';

export type PollTiming = {
  readonly status: StatusResult & { readonly outcome: 'pending' };
  /** Since the provider accepted the task. */
  readonly ageSeconds: number;
  readonly typicalSeconds: number;
  /** A random number from 0 to 1. */
  readonly random: number;
};

/** Keeps tasks that started together from polling together. */
const jitterRatio = 0.1;
/** The typical duration is a guess: a generation that ends early is noticed within this time. */
const earlyPollSecondsMax = 30;
/** A generation is overdue after this many times its typical duration. */
const overdueFactor = 2;
const overdueBackoffMax = 3;

/** The last poll before the deadline leaves this long to fetch a finished video. */
const lastPollSeconds = 5;
const delaySecondsMin = 0.05;

/**
 * Moves a poll that would come too late to shortly before the deadline, and the one after it to the
 * deadline itself: a video that was finished in time is delivered.
 */
export function delayWithinDeadline(seconds: number, secondsLeft: number): number {
  const untilLastPoll = secondsLeft - lastPollSeconds;
  const delayMax = untilLastPoll > 0 ? untilLastPoll : secondsLeft;
  return Math.max(delaySecondsMin, Math.min(seconds, delayMax));
}

export function nextPollDelaySeconds({
  status,
  ageSeconds,
  typicalSeconds,
  random,
}: PollTiming): number {
  const { pollAfterSeconds, isUnread, alert } = status;
  // Each of the polls that wait for their turn has got another time.
  if (isUnread) return pollAfterSeconds;
  // The delay after an error does not depend on the age of the task.
  const seconds = alert
    ? pollAfterSeconds
    : delayByAge({ pollAfterSeconds, ageSeconds, typicalSeconds });
  return seconds * (1 + random * jitterRatio);
}

function delayByAge({
  pollAfterSeconds,
  ageSeconds,
  typicalSeconds,
}: Pick<PollTiming, 'ageSeconds' | 'typicalSeconds'> & {
  readonly pollAfterSeconds: number;
}): number {
  const untilHalf = typicalSeconds / 2 - ageSeconds;
  if (untilHalf > 0) {
    return Math.max(pollAfterSeconds, Math.min(untilHalf, earlyPollSecondsMax));
  }
  const overdue = typicalSeconds > 0 ? ageSeconds / (overdueFactor * typicalSeconds) : 1;
  return pollAfterSeconds * Math.min(overdueBackoffMax, Math.max(1, overdue));
}
