/** Calls keep their distance, and nobody waits longer than they said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThrottle } from './call-throttle.ts';

test('lets the first call through and tells each of the next ones a time of its own', async () => {
  const throttle = createThrottle({ perSecond: 0.01 });
  assert.deepEqual(await throttle.acquire({ waitMsMax: 0 }), { granted: true });
  for (const hundreds of [1, 2, 3]) {
    const next = await throttle.acquire({ waitMsMax: 50_000 });
    assert.ok(!next.granted && Math.round(next.waitSeconds / 100) === hundreds);
  }
});

test('whoever was sent away takes no place from who waits', async () => {
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

test('grants turns in order, each after the one before', async () => {
  const throttle = createThrottle({ perSecond: 200 });
  const order: number[] = [];
  const grants = [1, 2, 3, 4].map(async (index) => {
    await throttle.acquire({ waitMsMax: 60_000 });
    order.push(index);
  });
  await Promise.all(grants);
  assert.deepEqual(order, [1, 2, 3, 4]);
});

test('a caller that gives up waiting is let go at once', async () => {
  const throttle = createThrottle({ perSecond: 0.01 });
  await throttle.acquire({ waitMsMax: 0 });
  const giveUp = new AbortController();
  const grant = throttle.acquire({ waitMsMax: 600_000, signal: giveUp.signal });
  giveUp.abort();
  assert.deepEqual(await grant, { granted: true });
});
