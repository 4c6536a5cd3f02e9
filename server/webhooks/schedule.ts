/** When a failed call is made again: the configured gaps, each a little longer by chance. */
import assert from 'node:assert/strict';

/** Up to a fifth is added, so that calls that failed together do not all come back together. */
const jitterMax = 0.2;

/**
 * Seconds until the next attempt, or null when the last one was made: there are as many retries as
 * gaps (five by default, Spec 6.1.2). `attemptsMade` counts this round only; `random` gives [0, 1).
 */
export function nextRetryDelay({
  retryDelaysSeconds,
  attemptsMade,
  random,
}: {
  readonly retryDelaysSeconds: readonly number[];
  readonly attemptsMade: number;
  readonly random: () => number;
}): number | null {
  assert(attemptsMade >= 1, 'the first attempt has no gap before it');
  const delay = retryDelaysSeconds[attemptsMade - 1];
  return delay === undefined ? null : delay * (1 + jitterMax * random());
}
