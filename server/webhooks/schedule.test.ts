/** Retries keep to the configured gaps, never come early, and end after the last one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextGapSeconds } from './schedule.ts';

const gapsSeconds = [5, 30, 120, 600, 3600];

test('waits the configured gaps before the five retries, then gives up', () => {
  const gaps = [1, 2, 3, 4, 5, 6].map((attemptsMade) =>
    nextGapSeconds({ gapsSeconds, attemptsMade, random: () => 0 }),
  );
  assert.deepEqual(gaps, [5, 30, 120, 600, 3600, null]);
});

test('never comes early and adds at most a fifth', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(100_000), { minLength: 1 }),
      fc.nat(),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (gaps, pick, chance) => {
        const attemptsMade = (pick % gaps.length) + 1;
        const gap = nextGapSeconds({ gapsSeconds: gaps, attemptsMade, random: () => chance });
        const configured = gaps[attemptsMade - 1]!;
        assert(gap !== null && gap >= configured && gap <= configured * 1.2);
      },
    ),
  );
});

test('makes no retry at all when no gap is configured', () => {
  assert.equal(nextGapSeconds({ gapsSeconds: [], attemptsMade: 1, random: () => 0 }), null);
});
