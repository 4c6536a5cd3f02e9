/**
 * When a generation is looked at again. The provider says how often it is worth it; how long it
 * usually takes says when: hardly ever in its first half, and less and less often when it is long
 * overdue (Decision 0027). A callback brings any look forward.
 */
import type { StatusResult } from '../providers/provider.ts';

export type PollTiming = {
  readonly status: StatusResult & { readonly outcome: 'pending' };
  /** Since the provider took the task. */
  readonly ageSeconds: number;
  readonly typicalSeconds: number;
  /** From 0 to 1, by chance. */
  readonly random: number;
};

/** Added to each wait, so that tasks that started together do not ask together for ever. */
const jitterRatio = 0.1;
/**
 * What is usual is a guess: a generation that ends early is not overlooked for longer than this.
 */
const earlyPollSecondsMax = 30;
/** Overdue from so many times the usual on. */
const overdueFactor = 2;
const overdueBackoffMax = 3;

export function nextPollDelaySeconds({
  status,
  ageSeconds,
  typicalSeconds,
  random,
}: PollTiming): number {
  const { pollAfterSeconds, isJittered, alert } = status;
  // The provider has given this look a time of its own.
  if (isJittered) return pollAfterSeconds;
  // What went wrong has nothing to do with the age of the task.
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
