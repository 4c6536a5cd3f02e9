/** Calls keep their distance, and no caller waits longer than it accepts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThrottle } from './call-throttle.ts';

test('grants the first call and returns a different delay to each of the next', async () => {
  const throttle = createThrottle({ perSecond: 0.01 });
  assert.deepEqual(await throttle.acquire({ waitMsMax: 0 }), { granted: true });
  for (const hundreds of [1, 2, 3]) {
    const next = await throttle.acquire({ waitMsMax: 50_000 });
    assert.ok(!next.granted && Math.round(next.waitSeconds / 100) === hundreds);
  }
});

test('gives no turn to calls that were denied', async () => {
  const throttle = createThrottle({ perSecond: 0.01 });
  await throttle.acquire({ waitMsMax: 0 });
  for (let count = 0; count < 50; count++) await throttle.acquire({ waitMsMax: 0 });
  const giveUp = new AbortController();
  const grant = throttle.acquire({ waitMsMax: 101_000, signal: giveUp.signal });
  giveUp.abort();
  assert.deepEqual(
    await grant,
    { granted: true },
    'the next free turn is still a hundred seconds off',
  );
});

test('grants turns in order', async () => {
  const throttle = createThrottle({ perSecond: 4 });
  const order: number[] = [];
  const grants = [1, 2, 3, 4].map(async (index) => {
    await throttle.acquire({ waitMsMax: 60_000 });
    order.push(index);
  });
  await Promise.all(grants);
  assert.deepEqual(order, [1, 2, 3, 4]);
});
