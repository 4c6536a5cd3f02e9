import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { etaOf, formatTypicalTime, type TaskTiming } from './eta.ts';

const typical = { p50_seconds: 20, p95_seconds: 50, tasks: 40 };
const at = (elapsedSeconds: number, more: Partial<TaskTiming> = {}) =>
  etaOf({ status: 'generating', progress: null, elapsedSeconds, typical, ...more });

test('estimates progress from the typical time when the provider reports none', () => {
  assert.deepEqual(at(0), { fraction: 0, text: 'About 20 s left' });
  assert.deepEqual(at(8), { fraction: 0.36, text: 'About 12 s left' });
  assert.equal(at(20).fraction, 0.9);
  assert.equal(at(35).text, 'Up to 15 s left');
});

test('says when a task takes longer than 95 percent of its kind', () => {
  assert.deepEqual(at(51), { fraction: 0.97, text: 'Taking longer than usual' });
  assert.equal(at(51, { progress: 0.4 }).text, 'Taking longer than usual');
});

test('shows reported progress and estimates the rest from its rate', () => {
  assert.deepEqual(at(10, { progress: 0.5 }), { fraction: 0.5, text: 'About 10 s left' });
  assert.equal(at(1, { progress: 0.02 }).text, 'About 19 s left');
  assert.equal(at(10, { progress: 0.99 }).text, 'Any moment now');
});

test('estimates nothing for a task that waits for others', () => {
  assert.equal(at(2, { status: 'queued' }).text, 'About 18 s left');
  assert.deepEqual(at(6, { status: 'queued' }), { fraction: null, text: 'In queue' });
});

test('leaves the bar short of full until the task has completed', () => {
  assert.equal(at(10, { progress: 1 }).fraction, 0.97);
});

test('estimates nothing without progress and typical time', () => {
  assert.deepEqual(at(5, { typical: null, status: 'queued' }), {
    fraction: null,
    text: 'In queue',
  });
  assert.equal(at(5, { typical: null }).text, '5 s elapsed');
  assert.equal(at(240, { typical: null }).text, '4 min elapsed');
});

test('never moves the bar back', () => {
  const second = fc.double({ min: 0, max: 500, noNaN: true });
  fc.assert(
    fc.property(second, second, (one, other) => {
      const [early, late] = [Math.min(one, other), Math.max(one, other)];
      assert.ok(at(early).fraction! <= at(late).fraction!);
      assert.ok(at(late).fraction! < 1);
    }),
  );
});

test('formats the typical time before the task is created', () => {
  assert.equal(formatTypicalTime(typical), 'usually takes 20 s, rarely over 50 s');
  assert.equal(
    formatTypicalTime({ p50_seconds: 3, p95_seconds: 3.2, tasks: 1 }),
    'usually takes 3 s',
  );
  assert.equal(formatTypicalTime(null), null);
});
