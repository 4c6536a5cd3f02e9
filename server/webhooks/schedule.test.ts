/** Retries keep the configured delays, are never early, and end after the last one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextRetryDelay } from './schedule.ts';

const retryDelaysSeconds = [5, 30, 120, 600, 3600];

test('waits the configured delays before the five retries, then ends', () => {
  const delays = [1, 2, 3, 4, 5, 6].map((attemptsMade) =>
    nextRetryDelay({ retryDelaysSeconds, attemptsMade, random: () => 0 }),
  );
  assert.deepEqual(delays, [5, 30, 120, 600, 3600, null]);
});

test('is never early and adds at most a fifth', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(100_000), { minLength: 1 }),
      fc.nat(),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (delays, pick, chance) => {
        const attemptsMade = (pick % delays.length) + 1;
        const delay = nextRetryDelay({
          retryDelaysSeconds: delays,
          attemptsMade,
          random: () => chance,
        });
        const configured = delays[attemptsMade - 1]!;
        assert(delay !== null && delay >= configured && delay <= configured * 1.2);
      },
    ),
  );
});

test('makes no retry when no delay is configured', () => {
  assert.equal(nextRetryDelay({ retryDelaysSeconds: [], attemptsMade: 1, random: () => 0 }), null);
});
