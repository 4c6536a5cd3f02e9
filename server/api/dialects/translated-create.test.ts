/** Messages of our own create in the words of another API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCatalog } from '../../catalog/catalog.ts';
import { renameFields, resolveModel } from './translated-create.ts';

test('fields of ours are named as the client sent them', () => {
  const names = { duration: 'seconds', image_urls: 'input_reference', 'image_urls[1]': 'last' };
  assert.equal(
    renameFields(
      'input.duration must be 4 to 30 (got 2); input.image_urls[0] must be https; ' +
        'input.image_urls[1] cannot be read; input.seed is not supported',
      names,
    ),
    'seconds must be 4 to 30 (got 2); input_reference must be https; last cannot be read; ' +
      'input.seed is not supported',
  );
});

test('an alias is its model, and any other name stays as it is', () => {
  const catalog = createCatalog({ aliases: { 'sora-2': 'vidgen-2-0' } });
  assert.equal(resolveModel(catalog, 'sora-2'), 'vidgen-2-0');
  assert.equal(resolveModel(catalog, 'sora-3'), 'sora-3');
});
