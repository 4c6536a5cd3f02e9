import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyVerifier } from './callbacks.ts';

type Keys = { readonly key: number };

function verifierOf(...published: (Keys | undefined)[]) {
  const state = { fetches: 0 };
  const verify = createKeyVerifier({ fetch: async () => published[state.fetches++] });
  return { state, verify };
}
const accept =
  (expected: number) =>
  ({ key }: Keys) =>
    key === expected ? null : 'wrong key';

test('fetches the keys once for concurrent callbacks, and not again for forged ones', async () => {
  const { state, verify } = verifierOf({ key: 1 }, { key: 2 });
  const concurrent = await Promise.all([verify(accept(1)), verify(accept(1)), verify(accept(1))]);
  assert.deepEqual(concurrent, [null, null, null]);
  assert.equal(await verify(accept(1)), null);
  assert.equal(await verify(accept(9)), 'wrong key');
  assert.equal(state.fetches, 1);
});

test('accepts nothing while the keys cannot be fetched', async () => {
  const { verify } = verifierOf(undefined);
  assert.equal(await verify(() => null), 'no keys to verify it with');
});

test('does not use keys that are too old', async () => {
  const verify = createKeyVerifier({ fetch: async () => ({ key: 1 }), ageMsMax: 0 });
  assert.equal(await verify(() => null), 'no keys to verify it with');
});
