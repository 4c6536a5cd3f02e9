import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import fc from 'fast-check';
import { formOfSearch, playgroundUrlOf, searchOf, searchOfUrl } from './form-url.ts';
import { adaptForm, emptyForm } from './generation-form.ts';
import { type PlaygroundSearch, readSearch } from './playground-search.ts';
import { anyForm, modelNamed, models } from './testing/forms.ts';

/** Through the address bar, as the router writes and reads it. */
function roundTrip(search: PlaygroundSearch): PlaygroundSearch {
  const { search: params, hash } = playgroundUrlOf(search);
  const url = new URL(`https://example.com/${defaultStringifySearch(params)}#${hash}`);
  const read = readSearch(defaultParseSearch(url.search));
  return searchOfUrl({ search: read, hash: url.hash.slice(1) });
}

test('a form comes back from its address as it was', () => {
  fc.assert(
    fc.property(anyForm, (generated) => {
      const { form } = adaptForm(generated, modelNamed(generated.model));
      assert.deepEqual(formOfSearch(roundTrip(searchOf(form)), models), form);
    }),
    { numRuns: 300 },
  );
});

test('a prompt of any length comes back, and never makes a request line too long', () => {
  const form = { ...emptyForm(modelNamed('vidgen-2-5')), prompt: '🎬é '.repeat(3000) };
  const { search, hash } = playgroundUrlOf(searchOf(form));
  assert.ok(defaultStringifySearch(search).length < 6000);
  assert.notEqual(hash, '');
  assert.deepEqual(formOfSearch(roundTrip(searchOf(form)), models), form);
});

test('the task stands beside the form', () => {
  const form = emptyForm(modelNamed('vidgen-2-0'));
  const search = roundTrip({ ...searchOf(form), task: 'task_01' });
  assert.equal(search.task, 'task_01');
  assert.deepEqual(formOfSearch(search, models), form);
});

test('an address with a task alone tells of no form', () => {
  assert.equal(formOfSearch({ task: 'task_01' }, models), null);
  assert.equal(formOfSearch({}, models), null);
});

test('nonsense in an address is ignored', () => {
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
