/** Fetched once for many, and not again for every forger. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRefreshableKeys, verifyWithRefresh } from './refreshable-keys.ts';

function fetching(...values: (object | undefined)[]) {
  const state = { fetches: 0 };
  const fetch = async () => values[state.fetches++];
  return { state, keys: createRefreshableKeys({ fetch, ageMsMax: 60_000 }) };
}

test('asks once for several that come at the same time, and not again soon', async () => {
  const value = { key: 1 };
  const { state, keys } = fetching(value, { key: 2 });
  await Promise.all([keys.refresh(), keys.refresh(), keys.refresh()]);
  await keys.refresh();
  assert.equal(state.fetches, 1);
  assert.equal(keys.current(), value);
});

test('has nothing where it could not be had', async () => {
  const { keys } = fetching(undefined);
  assert.equal(await verifyWithRefresh(keys, () => null), 'nothing to verify it with can be had');
});

test('forgets what is older than it may be', async () => {
  const keys = createRefreshableKeys({ fetch: async () => ({ key: 1 }), ageMsMax: 0 });
  await keys.refresh();
  assert.equal(keys.current(), undefined);
});

test('judges with what is known, and believes it at once where it fits', async () => {
  const { state, keys } = fetching({ key: 1 });
  const verify = ({ key }: { key?: number }) => (key === 1 ? null : 'wrong');
  assert.equal(await verifyWithRefresh(keys, verify), null);
  assert.equal(await verifyWithRefresh(keys, verify), null);
  assert.equal(await verifyWithRefresh(keys, () => 'wrong'), 'wrong');
  assert.equal(state.fetches, 1);
});
