import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, quantile, timesSentence } from './quantile.ts';

test('interpolates between the two nearest values', () => {
  assert.deepEqual(
    [0, 0.5, 0.75, 1].map((share) => quantile([4, 1, 3, 2], share)),
    [1, 2.5, 3.25, 4],
  );
  assert.equal(median([3, 1, 2]), 2);
  assert.ok(Number.isNaN(quantile([], 0.5)));
});

test('shows durations with their number', () => {
  assert.equal(timesSentence([10, 20, 30]), 'p50 20.0 ms, p99 29.8 ms (3)');
  assert.equal(timesSentence([]), 'none');
});
