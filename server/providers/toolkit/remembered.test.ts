/** Fetched once for many, and not again for every forger. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRemembered, judgeWith } from './remembered.ts';

function fetching(...answers: (object | undefined)[]) {
  const state = { fetches: 0 };
  const fetch = async () => answers[state.fetches++];
  return { state, remembered: createRemembered({ fetch, keptMsMax: 60_000 }) };
}

test('asks once for several that come at the same time, and not again soon', async () => {
  const value = { key: 1 };
  const { state, remembered } = fetching(value, { key: 2 });
  await Promise.all([remembered.renew(), remembered.renew(), remembered.renew()]);
  await remembered.renew();
  assert.equal(state.fetches, 1);
  assert.equal(remembered.current(), value);
});

test('has nothing where it could not be had', async () => {
  const { remembered } = fetching(undefined);
  assert.equal(await judgeWith(remembered, () => null), 'nothing to verify it with can be had');
});

test('forgets what is older than it may be', async () => {
  const remembered = createRemembered({ fetch: async () => ({ key: 1 }), keptMsMax: 0 });
  await remembered.renew();
  assert.equal(remembered.current(), undefined);
});

test('judges with what is known, and believes it at once where it fits', async () => {
  const { state, remembered } = fetching({ key: 1 });
  const judge = ({ key }: { key?: number }) => (key === 1 ? null : 'wrong');
  assert.equal(await judgeWith(remembered, judge), null);
  assert.equal(await judgeWith(remembered, judge), null);
  assert.equal(await judgeWith(remembered, () => 'wrong'), 'wrong');
  assert.equal(state.fetches, 1);
});
