/** Looks by age: few while a generation is young, as asked around its time, fewer when overdue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextPollDelaySeconds } from './poll-delay.ts';

const status = { outcome: 'pending', pollAfterSeconds: 10 } as const;
const typical = { status, typicalSeconds: 120, random: 0 };

const ages = [
  { ageSeconds: 0, seconds: 30, why: 'young: not before half of the usual time, but within 30 s' },
  { ageSeconds: 40, seconds: 20, why: 'young: at half of the usual time' },
  { ageSeconds: 55, seconds: 10, why: 'nearly half: never sooner than the provider asks for' },
  { ageSeconds: 60, seconds: 10, why: 'from half of the usual time on as the provider asks for' },
  { ageSeconds: 240, seconds: 10, why: 'up to twice of it as well' },
  { ageSeconds: 480, seconds: 20, why: 'at four times of it half as often' },
  { ageSeconds: 720, seconds: 30, why: 'at six times of it a third as often' },
  { ageSeconds: 100_000, seconds: 30, why: 'and never less often than that' },
];
for (const { ageSeconds, seconds, why } of ages) {
  test(`${why} (${ageSeconds} s old)`, () => {
    assert.equal(nextPollDelaySeconds({ ...typical, ageSeconds }), seconds);
  });
}

test('a tenth is added by chance, so that tasks that began together do not ask together', () => {
  assert.equal(nextPollDelaySeconds({ ...typical, ageSeconds: 100, random: 1 }), 11);
});

test('a look that was given a time of its own keeps it', () => {
  const spread = { ...status, pollAfterSeconds: 0.4, isJittered: true };
  assert.equal(nextPollDelaySeconds({ ...typical, status: spread, ageSeconds: 0, random: 1 }), 0.4);
});

test('after trouble the age does not matter', () => {
  const alerting = { ...status, alert: 'an unknown status' };
  for (const ageSeconds of [0, 1000]) {
    assert.equal(nextPollDelaySeconds({ ...typical, status: alerting, ageSeconds }), 10);
  }
});

test('a provider that usually takes no time is asked as it likes', () => {
  assert.equal(nextPollDelaySeconds({ ...typical, typicalSeconds: 0, ageSeconds: 50 }), 10);
});
