/** Calls keep their distance, have their turns in order, and none waits longer than it accepts. */
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

test('gives last polls their turn first, then the oldest tasks', async () => {
  const throttle = createThrottle({ perSecond: 50 });
  await throttle.acquire({ waitMsMax: 0 });
  const order: string[] = [];
  const calls = [
    { name: 'young', ageSeconds: 1 },
    { name: 'old', ageSeconds: 60 },
    { name: 'last', ageSeconds: 5, isLast: true },
    { name: 'no poll' },
    { name: 'as old', ageSeconds: 60 },
  ];
  await Promise.all(
    calls.map(async ({ name, ...turn }) => {
      await throttle.acquire({ waitMsMax: 60_000, ...turn });
      order.push(name);
    }),
  );
  assert.deepEqual(order, ['last', 'no poll', 'old', 'as old', 'young']);
});

test('denies the youngest when an older call leaves no turn in time for it', async () => {
  const throttle = createThrottle({ perSecond: 0.01 });
  await throttle.acquire({ waitMsMax: 0 });
  const giveUp = new AbortController();
  const waitMsMax = 150_000;
  const young = throttle.acquire({ waitMsMax, ageSeconds: 1, signal: giveUp.signal });
  const old = throttle.acquire({ waitMsMax, ageSeconds: 2, signal: giveUp.signal });
  const denied = await young;
  assert.ok(!denied.granted && Math.round(denied.waitSeconds / 100) === 2);
  giveUp.abort();
  assert.equal((await old).granted, false, 'a call that is no longer wanted gets no turn');
});

test('does not delay calls without a limit', async () => {
  const throttle = createThrottle({ perSecond: Number.POSITIVE_INFINITY });
  const grants = await Promise.all([1, 2].map(() => throttle.acquire({ waitMsMax: 0 })));
  assert.deepEqual(grants, [{ granted: true }, { granted: true }]);
});
