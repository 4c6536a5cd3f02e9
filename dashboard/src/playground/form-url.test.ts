import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import fc from 'fast-check';
import { formOfSearch, playgroundUrlOf, searchOf, searchOfUrl } from './form-url.ts';
import { adaptForm, emptyForm } from './generation-form.ts';
import { type PlaygroundSearch, readSearch } from './playground-search.ts';
import { anyForm, modelNamed, models } from './testing/forms.ts';

/** Writes the search to a URL and reads it back like the router. */
function roundTrip(search: PlaygroundSearch): PlaygroundSearch {
  const { search: params, hash } = playgroundUrlOf(search);
  const url = new URL(`https://example.com/${defaultStringifySearch(params)}#${hash}`);
  const read = readSearch(defaultParseSearch(url.search));
  return searchOfUrl({ search: read, hash: url.hash.slice(1) });
}

test('restores a form from its URL', () => {
  fc.assert(
    fc.property(anyForm, (generated) => {
      const { form } = adaptForm(generated, modelNamed(generated.model));
      assert.deepEqual(formOfSearch(roundTrip(searchOf(form)), models), form);
    }),
    { numRuns: 300 },
  );
});

test('restores a prompt of any length and keeps the request line short', () => {
  const form = { ...emptyForm(modelNamed('vidgen-2-5')), prompt: '🎬é '.repeat(3000) };
  const { search, hash } = playgroundUrlOf(searchOf(form));
  assert.ok(defaultStringifySearch(search).length < 6000);
  assert.notEqual(hash, '');
  assert.deepEqual(formOfSearch(roundTrip(searchOf(form)), models), form);
});

test('keeps the task next to the form', () => {
  const form = emptyForm(modelNamed('vidgen-2-0'));
  const search = roundTrip({ ...searchOf(form), task: 'task_01' });
  assert.equal(search.task, 'task_01');
  assert.deepEqual(formOfSearch(search, models), form);
});

test('finds no form in a URL that only names a task', () => {
  assert.equal(formOfSearch({ task: 'task_01' }, models), null);
  assert.equal(formOfSearch({}, models), null);
});

test('ignores invalid parameters', () => {
  const search = readSearch({
    model: 'vidgen-9',
    duration: 'long',
    images: 'x',
    sound: 'yes',
    mode: 'test',
    resolution: '8k',
    prompt: 5,
  });
  assert.deepEqual(search, { model: 'vidgen-9', resolution: '8k', prompt: '5' });
  assert.deepEqual(formOfSearch(search, models), { ...emptyForm(models[0]!), prompt: '5' });
  const boatSearch = { prompt: 'boat' };
  assert.deepEqual(searchOfUrl({ search: boatSearch, hash: 'page' }), boatSearch);
  assert.deepEqual(searchOfUrl({ search: boatSearch, hash: 'null' }), boatSearch);
});
