/** When a failed webhook is retried: the configured delays, each with random jitter. */
import assert from 'node:assert/strict';

/** Up to a fifth is added, so that webhooks that failed together are not all retried together. */
const jitterMax = 0.2;

/**
 * Returns seconds until the next attempt, or null after the last one: there are as many retries as
 * delays (five by default, docs/spec.md 6.1.2). `attemptsMade` counts this round only; `random`
 * returns a number in [0, 1).
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
  assert(attemptsMade >= 1, 'the first attempt has no delay before it');
  const delay = retryDelaysSeconds[attemptsMade - 1];
  return delay === undefined ? null : delay * (1 + jitterMax * random());
}
