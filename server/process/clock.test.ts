/** Waiting: long delays do not end early. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { sleep, startDeadline, startTimer } from './clock.ts';

test('a wait of months does not end at once', async () => {
  const months = 90 * 86_400_000;
  using deadline = startDeadline(months);
  let fired = false;
  const timer = startTimer(months, () => {
    fired = true;
  });
  const controller = new AbortController();
  let slept = false;
  const sleeping = sleep(months, controller.signal).then(() => {
    slept = true;
  });
  await sleep(20);
  assert.deepEqual([deadline.signal.aborted, fired, slept], [false, false, false]);
  timer.stop();
  controller.abort();
  await sleeping;
});

test('a deadline aborts when its time is up, or with the first of its signals', async () => {
  using passing = startDeadline(1);
  await sleep(5000, passing.signal);
  assert.deepEqual([passing.signal.aborted, passing.hasPassed], [true, true]);
  const controller = new AbortController();
  using linked = startDeadline(60_000, [controller.signal, new AbortController().signal]);
  controller.abort();
  assert.deepEqual([linked.signal.aborted, linked.hasPassed], [true, false]);
  using late = startDeadline(60_000, [controller.signal]);
  assert.equal(late.signal.aborted, true);
});

test('a disposed deadline never aborts and leaves no listener behind', () => {
  const controller = new AbortController();
  const deadline = startDeadline(60_000, [controller.signal]);
  deadline[Symbol.dispose]();
  controller.abort();
  assert.equal(deadline.signal.aborted, false);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
});
