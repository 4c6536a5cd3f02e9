/** How routes change when a provider is added, moved or taken out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderHealth, ProviderRoute } from '@vidgen/contract/admin-providers.ts';
import { positionIn, removalNote, withProvider } from './route-order.ts';

const route = (...providers: string[]): ProviderRoute => ({
  model: 'vidgen-2-0',
  providers,
  steps: [],
  source: 'dashboard',
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
  const long = route('ark', 'fal', 'kling');
  assert.deepEqual(withProvider(long, 'fal', 'last'), long.providers, 'it is a fallback already');
});

test('says what a removal does to the tasks of models that have no other provider', () => {
  const routes = [route('fal'), route('fal', 'ark'), route('preview')];
  const provider = (source: ProviderHealth['source']) => ({ source }) as ProviderHealth;
  assert.equal(
    removalNote({ items: [provider('dashboard')], routes }, 'fal'),
    'vidgen-2-0 has no other provider. New live tasks are made by the preview and still charged; ' +
      'waiting ones fail and are refunded.',
  );
  assert.match(
    removalNote({ items: [provider('file')], routes }, 'fal') ?? '',
    /New live tasks are rejected; waiting ones fail/,
  );
  assert.equal(removalNote({ items: [], routes }, 'ark'), null);
});
