/** The document is valid and complete, and every example matches its schema. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { validate } from '@scalar/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { pluck } from '../../../proof/kit/pluck.ts';
import { roleTable } from '../../../proof/kit/role-table.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { checkGeneration } from '../../catalog/check.ts';
import { priceOf } from '../../catalog/price.ts';
import { createRoutes } from '../routes.ts';
import { generationExamples } from '../v1/samples.ts';
import type { Metrics } from './metrics.ts';
import { openApiDocument } from './openapi.ts';

const routes = createRoutes({ metrics: {} as Metrics });
const publicUrl = 'https://videos.example.com';
const document = JSON.parse(
  JSON.stringify(openApiDocument({ routes, publicUrl, version: '1.2.3' })),
);

/** Every object of the document with its JSON pointer. */
function* placesOf(value: unknown, pointer = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value as Record<string, unknown>];
  for (const [key, inner] of Object.entries(value)) {
    const step = encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
    yield* placesOf(inner, `${pointer}/${step}`);
  }
}

test('is valid OpenAPI 3.1', async () => {
  const { valid, errors, version } = await validate(document);
  assert.deepEqual(errors, []);
  assert(valid);
  assert.equal(version, '3.1');
  assert.equal(document.servers[0].url, publicUrl);
  assert.equal(document.info.version, '1.2.3');
});

test('every example matches its schema, and every reference resolves', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  const pointers = new Set([...placesOf(document)].map(([pointer]) => pointer));
  let examples = 0;
  for (const [pointer, place] of placesOf(document)) {
    if (typeof place.$ref === 'string') assert(pointers.has(place.$ref), place.$ref);
    if (!place.examples || !place.schema) continue;
    const fits = ajv.compile({ $ref: `document${pointer}/schema` });
    for (const [name, example] of Object.entries(place.examples as Record<string, object>)) {
      examples++;
      const isFit = fits((example as { value: unknown }).value);
      assert(isFit, `${pointer} ${name}: ${ajv.errorsText(fits.errors)}`);
    }
  }
  assert(examples > 50, `${examples} examples`);
});

test('every endpoint has an example of its success and of every error code', () => {
  for (const { operationId, responses, hidden } of routes) {
    if (hidden) continue;
    for (const [status, { schema, contentType, examples }] of Object.entries(responses)) {
      const isText = contentType !== undefined || operationId === 'openApi';
      if (schema && !isText) assert(examples, `${operationId} ${status}`);
    }
  }
});

describe('the examples of create', () => {
  const catalog = createCatalog();
  for (const [mode, [, value]] of Object.entries(generationExamples)) {
    test(`${mode} would be accepted`, () => {
      const checked = checkGeneration(value, { catalog, checkUrl: () => ({ ok: true }) });
      assert(checked.ok, checked.ok ? '' : checked.message);
      assert.deepEqual(checked.ignored, []);
      const isFirst = mode === 'text-to-video';
      // The example response belongs to the first example.
      if (isFirst) assert.equal(priceOf(checked.request.generation, checked.model), 40);
    });
  }
});

test('lists every endpoint of the role table but those that no client calls', () => {
  const listed = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const unlisted = Object.values(roleTable)
    .flat()
    .map((name) => name.replace(/:(\w+)/g, '{$1}'))
    .filter((name) => !listed.includes(name));
  assert.deepEqual(unlisted, [
    'GET /session/openid/callback',
    'POST /stripe/events',
    'POST /callbacks/{provider}/{reference}',
    'POST /callbacks/{provider}',
    'GET /docs/scalar.js',
    'GET /docs/assets/{name}',
    'GET /mcp',
    'DELETE /mcp',
    'GET /',
    'GET /dashboard',
    'GET /dashboard/*',
    'GET /dashboard/assets/{name}',
    'GET /fleet/v1/connect',
  ]);
  assert.equal(listed.length + unlisted.length, routes.length);
  const names = routes.map((route) => route.operationId);
  assert.equal(new Set(names).size, names.length);
});

test('marks exactly the extensions under /v1', () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations as object)) {
      const isContract = ['post /v1/videos/generations', 'get /v1/tasks/{id}'].includes(
        `${method} ${path}`,
      );
      const isMarked = operation['x-vidgen-extension'] === true;
      assert.equal(isMarked, path.startsWith('/v1') && !isContract, path);
    }
  }
});

test('create has every error code of the contract but not_found', () => {
  const { responses } = document.paths['/v1/videos/generations'].post;
  assert.deepEqual(Object.keys(responses), ['200', '400', '401', '402', '403', '429', '500']);
  assert('Retry-After' in responses[429].headers);
  for (const response of Object.values<{ headers: object }>(responses)) {
    assert('x-request-id' in response.headers);
  }
});

test('describes both webhooks of the contract with their signature', () => {
  assert.deepEqual(Object.keys(document.webhooks), ['completion', 'failure']);
  for (const { post } of Object.values<{ post: { parameters: { name: string }[] } }>(
    document.webhooks,
  )) {
    assert.deepEqual(pluck(post.parameters, 'name'), [
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
  }
});
