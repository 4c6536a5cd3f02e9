/** Waiting: long delays do not end early. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep, startTimer, timeoutSignal } from './clock.ts';

test('a wait of months does not end at once', async () => {
  const months = 90 * 86_400_000;
  const signal = timeoutSignal(months);
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
  assert.deepEqual([signal.aborted, fired, slept], [false, false, false]);
  timer.stop();
  controller.abort();
  await sleeping;
});
