/** How routes change when a provider is added, moved or taken out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderRoute } from '@vidgen/contract/admin-providers.ts';
import { moved, positionIn, withProvider } from './route-order.ts';

const route = (...providers: string[]): ProviderRoute => ({
  ...{ model: 'vidgen-2-0', providers, source: 'dashboard' },
});

test('replaces the preview of a route that nobody set', () => {
  const preview: ProviderRoute = { ...route('preview'), source: 'default' };
  assert.equal(positionIn(preview, 'fal'), null);
  assert.deepEqual(withProvider(preview, 'fal', 'first'), ['fal']);
});

test('adds, moves and takes out one provider', () => {
  assert.equal(positionIn(route('ark', 'fal'), 'fal'), 'last');
  assert.deepEqual(withProvider(route('ark', 'fal'), 'fal', 'first'), ['fal', 'ark']);
  assert.deepEqual(withProvider(route('ark', 'fal'), 'fal', 'none'), ['ark']);
  assert.deepEqual(withProvider(route('ark'), 'fal', 'last'), ['ark', 'fal']);
  assert.deepEqual(moved(['a', 'b', 'c'], 2, -1), ['a', 'c', 'b']);
});
