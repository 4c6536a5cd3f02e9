/** Calls keep their distance, and nobody waits longer than they said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from './pace.ts';

test('lets the first call through and tells each of the next ones a time of its own', async () => {
  const pace = createPace({ perSecond: 0.01 });
  assert.deepEqual(await pace.turn({ waitMsMax: 0 }), { granted: true });
  for (const hundreds of [1, 2, 3]) {
    const next = await pace.turn({ waitMsMax: 50_000 });
    assert.ok(!next.granted && Math.round(next.waitSeconds / 100) === hundreds);
  }
});

test('whoever was sent away takes no place from who waits', async () => {
  const pace = createPace({ perSecond: 0.01 });
  await pace.turn({ waitMsMax: 0 });
  for (let count = 0; count < 50; count++) await pace.turn({ waitMsMax: 0 });
  const giveUp = new AbortController();
  const turn = pace.turn({ waitMsMax: 101_000, signal: giveUp.signal });
  giveUp.abort();
  assert.deepEqual(
    await turn,
    { granted: true },
    'the next free turn is still a hundred seconds off',
  );
});

test('grants turns in order, each after the one before', async () => {
  const pace = createPace({ perSecond: 200 });
  const order: number[] = [];
  const turns = [1, 2, 3, 4].map(async (place) => {
    await pace.turn({ waitMsMax: 60_000 });
    order.push(place);
  });
  await Promise.all(turns);
  assert.deepEqual(order, [1, 2, 3, 4]);
});

test('a caller that gives up waiting is let go at once', async () => {
  const pace = createPace({ perSecond: 0.01 });
  await pace.turn({ waitMsMax: 0 });
  const giveUp = new AbortController();
  const turn = pace.turn({ waitMsMax: 600_000, signal: giveUp.signal });
  giveUp.abort();
  assert.deepEqual(await turn, { granted: true });
});
