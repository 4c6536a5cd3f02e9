/** Waiting: what is far away does not come at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { after, sleep, timeoutSignal } from './clock.ts';

test('a wait of months does not end at once', async () => {
  const months = 90 * 86_400_000;
  const signal = timeoutSignal(months);
  let fired = false;
  const later = after(months, () => {
    fired = true;
  });
  const given = new AbortController();
  let slept = false;
  const sleeping = sleep(months, given.signal).then(() => {
    slept = true;
  });
  await sleep(20);
  assert.deepEqual([signal.aborted, fired, slept], [false, false, false]);
  later.stop();
  given.abort();
  await sleeping;
});
