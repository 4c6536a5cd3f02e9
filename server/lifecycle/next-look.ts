/**
 * When a generation is looked at again. The provider says how often it is worth it; how long it
 * usually takes says when: hardly ever in its first half, and less and less often when it is long
 * overdue (Decision 0027). A callback brings any look forward.
 */
import type { StatusAnswer } from '../providers/provider.ts';

export type NextLook = {
  readonly answer: StatusAnswer & { readonly outcome: 'pending' };
  /** Since the provider took the task. */
  readonly ageSeconds: number;
  readonly usualSeconds: number;
  /** From 0 to 1, by chance. */
  readonly chance: number;
};

/** Added to each wait, so that tasks that started together do not ask together for ever. */
const jitterShare = 0.1;
/**
 * What is usual is a guess: a generation that ends early is not overlooked for longer than this.
 */
const youngWaitSecondsMax = 30;
/** Overdue from so many times the usual on. */
const overdueFrom = 2;
const overdueWaitMax = 3;

export function nextLookSeconds({ answer, ageSeconds, usualSeconds, chance }: NextLook): number {
  const { askAgainSeconds, isSpread, alert } = answer;
  // The provider has given this look a time of its own.
  if (isSpread) return askAgainSeconds;
  // What went wrong has nothing to do with the age of the task.
  const seconds = alert ? askAgainSeconds : byAge({ askAgainSeconds, ageSeconds, usualSeconds });
  return seconds * (1 + chance * jitterShare);
}

function byAge({
  askAgainSeconds,
  ageSeconds,
  usualSeconds,
}: Pick<NextLook, 'ageSeconds' | 'usualSeconds'> & { readonly askAgainSeconds: number }): number {
  const untilHalf = usualSeconds / 2 - ageSeconds;
  if (untilHalf > 0) {
    return Math.max(askAgainSeconds, Math.min(untilHalf, youngWaitSecondsMax));
  }
  const overdue = usualSeconds > 0 ? ageSeconds / (overdueFrom * usualSeconds) : 1;
  return askAgainSeconds * Math.min(overdueWaitMax, Math.max(1, overdue));
}
