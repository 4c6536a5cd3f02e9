/**
 * Polls are rare while a generation is young, as frequent as the provider asks around its typical
 * time, and rare again when it is overdue.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delayWithinDeadline, nextPollDelaySeconds } from './poll-delay.ts';

const status = { outcome: 'pending', pollAfterSeconds: 10 } as const;
const typical = { status, typicalSeconds: 120, random: 0 };

const ages = [
  {
    ageSeconds: 0,
    seconds: 30,
    why: 'young: at half of the typical time, or 30 s if that is sooner',
  },
  { ageSeconds: 40, seconds: 20, why: 'young: at half of the typical time' },
  { ageSeconds: 55, seconds: 10, why: 'nearly half: never sooner than the provider asks' },
  { ageSeconds: 60, seconds: 10, why: 'from half of the typical time on: as the provider asks' },
  { ageSeconds: 240, seconds: 10, why: 'up to twice the typical time: as the provider asks' },
  { ageSeconds: 480, seconds: 20, why: 'at four times the typical time: half as often' },
  { ageSeconds: 720, seconds: 30, why: 'at six times the typical time: a third as often' },
  { ageSeconds: 100_000, seconds: 30, why: 'long overdue: never less often than that' },
];
for (const { ageSeconds, seconds, why } of ages) {
  test(`${why} (${ageSeconds} s old)`, () => {
    assert.equal(nextPollDelaySeconds({ ...typical, ageSeconds }), seconds);
  });
}

test('adds up to a tenth of random jitter', () => {
  assert.equal(nextPollDelaySeconds({ ...typical, ageSeconds: 100, random: 1 }), 11);
});

test('keeps a delay that the provider has jittered', () => {
  const spread = { ...status, pollAfterSeconds: 0.4, isUnread: true };
  assert.equal(nextPollDelaySeconds({ ...typical, status: spread, ageSeconds: 0, random: 1 }), 0.4);
});

test('ignores the age of the task after an error', () => {
  const alerting = { ...status, alert: 'an unknown status' };
  for (const ageSeconds of [0, 1000]) {
    assert.equal(nextPollDelaySeconds({ ...typical, status: alerting, ageSeconds }), 10);
  }
});

test('uses the provider’s delay when it has no typical time', () => {
  assert.equal(nextPollDelaySeconds({ ...typical, typicalSeconds: 0, ageSeconds: 50 }), 10);
});

const clamped = [
  {
    seconds: 10,
    secondsLeft: 60,
    delay: 10,
    why: 'keeps a delay that leaves time for another poll',
  },
  {
    seconds: 30,
    secondsLeft: 25,
    delay: 20,
    why: 'polls 5 s before the deadline instead of after it',
  },
  { seconds: 30, secondsLeft: 5, delay: 5, why: 'polls once more at the deadline' },
  { seconds: 1, secondsLeft: 4, delay: 1, why: 'keeps a short delay in the last seconds' },
  { seconds: 30, secondsLeft: -3, delay: 0.05, why: 'polls at once when the deadline has passed' },
];
for (const { seconds, secondsLeft, delay, why } of clamped) {
  test(`${why} (${secondsLeft} s left)`, () => {
    assert.equal(delayWithinDeadline(seconds, secondsLeft), delay);
  });
}
