/** The document is valid, whole, and true to the schemas: every example is held against it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { validate } from '@scalar/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createCatalog } from '../../catalog/catalog.ts';
import { checkGeneration } from '../../catalog/check.ts';
import { priceOf } from '../../catalog/price.ts';
import { descriptions } from '../descriptions/descriptions.ts';
import { generationExamples } from '../descriptions/generations.ts';
import type { RouteDescription } from './endpoint.ts';
import { openApiDocument } from './openapi.ts';

const routes: readonly RouteDescription[] = Object.values(descriptions);
const publicUrl = 'https://videos.example.com';
/** As a client reads it. */
const document = JSON.parse(
  JSON.stringify(openApiDocument({ routes, publicUrl, version: '1.2.3' })),
);

/** Every place of the document with its JSON pointer. */
function* placesOf(value: unknown, pointer = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value as Record<string, unknown>];
  for (const [key, inner] of Object.entries(value)) {
    const step = encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
    yield* placesOf(inner, `${pointer}/${step}`);
  }
}

test('a validator finds it valid OpenAPI 3.1', async () => {
  const { valid, errors, version } = await validate(document);
  assert.deepEqual(errors, []);
  assert(valid);
  assert.equal(version, '3.1');
  assert.equal(document.servers[0].url, publicUrl);
  assert.equal(document.info.version, '1.2.3');
});

test('every example fits its schema, and every reference leads somewhere', () => {
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

test('every route has an example of its success and of every error code', () => {
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
  for (const [mode, { value }] of Object.entries(generationExamples)) {
    test(`${mode} would be accepted`, () => {
      const checked = checkGeneration(value, { catalog, checkUrl: () => ({ ok: true }) });
      assert(checked.ok, checked.ok ? '' : checked.message);
      assert.deepEqual(checked.ignored, []);
      const isFirst = mode === 'text-to-video';
      // The answer shown is the answer to the first example.
      if (isFirst) assert.equal(priceOf(checked.generation, catalog.prices), 40);
    });
  }
});

test('holds every endpoint that others rely on', () => {
  const listed = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(listed, [
    'POST /v1/videos/generations',
    'POST /v1/videos/generations/estimate',
    'GET /v1/tasks/{id}',
    'GET /v1/tasks',
    'POST /v1/tasks/{id}/cancel',
    'GET /v1/models',
    'GET /v1/credits',
    'POST /admin/accounts',
    'GET /admin/accounts',
    'GET /admin/accounts/{id}',
    'POST /admin/accounts/{id}/close',
    'POST /admin/accounts/{id}/credits',
    'POST /admin/accounts/{id}/keys',
    'GET /admin/accounts/{id}/keys',
    'DELETE /admin/keys/{id}',
    'POST /admin/accounts/{id}/webhook-secret',
    'GET /admin/accounts/{id}/tasks',
    'GET /admin/tasks',
    'GET /admin/tasks/{id}',
    'GET /admin/accounts/{id}/ledger',
    'GET /admin/accounts/{id}/deliveries',
    'POST /admin/tasks/{id}/cancel',
    'POST /admin/tasks/{id}/settle-refund',
    'POST /admin/deliveries/{id}/replay',
    'GET /admin/audit',
    'GET /admin/providers',
    'GET /admin/audit-log',
    'GET /admin/models',
    'POST /admin/accounts/{id}/generations',
    'POST /admin/accounts/{id}/generations/estimate',
    'POST /admin/accounts/{id}/uploads',
    'GET /admin/tasks/{id}/materials/{list}/{number}',
    'GET /admin/accounts/{id}/usage',
    'GET /admin/accounts/{id}/tasks/export',
    'GET /admin/tasks/export',
    'GET /admin/accounts/{id}/ledger/export',
    'GET /admin/accounts/{id}/usage/export',
    'GET /admin/accounts/{id}/top-ups',
    'POST /admin/accounts/{id}/redemptions',
    'POST /admin/accounts/{id}/checkouts',
    'POST /admin/redemption-codes',
    'GET /admin/redemption-codes',
    'DELETE /admin/redemption-codes/{id}',
    'POST /admin/accounts/{id}/deliveries/test',
    'POST /admin/accounts/{id}/deliveries/replay',
    'GET /admin/summary',
    'GET /admin/system',
    'GET /admin/accounts/{id}/members',
    'POST /admin/accounts/{id}/members/{person}',
    'DELETE /admin/accounts/{id}/members/{person}',
    'GET /admin/accounts/{id}/invitations',
    'POST /admin/accounts/{id}/invitations',
    'DELETE /admin/accounts/{id}/invitations/{invitation}',
    'GET /admin/people',
    'POST /admin/invitations',
    'POST /admin/people/{id}/password-link',
    'POST /admin/people/{id}/close',
    'POST /session',
    'GET /session',
    'DELETE /session',
    'POST /session/confirm',
    'POST /session/password',
    'POST /session/name',
    'GET /sessions',
    'DELETE /sessions/{id}',
    'POST /links/look',
    'POST /links/use',
    'GET /results/{taskId}/{name}',
    'GET /uploads/{name}',
    'GET /healthz',
    'GET /readyz',
    'GET /metrics',
    'GET /openapi.json',
    'GET /docs',
    'GET /guides',
    'GET /guides/{name}',
    'GET /llms.txt',
    'GET /vidgen.mjs',
    'GET /vidgen-ai-sdk.mjs',
  ]);
  const names = routes.map((route) => route.operationId);
  assert.equal(new Set(names).size, names.length);
});

test('marks what is ours under /v1, and only that', () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    const isContract = path === '/v1/videos/generations' || path === '/v1/tasks/{id}';
    for (const operation of Object.values(operations as object)) {
      const isMarked = operation['x-vidgen-extension'] === true;
      assert.equal(isMarked, path.startsWith('/v1') && !isContract, path);
    }
  }
});

test('create answers with every code of the contract but not_found', () => {
  const { responses } = document.paths['/v1/videos/generations'].post;
  assert.deepEqual(Object.keys(responses), ['200', '400', '401', '402', '403', '429', '500']);
  assert('Retry-After' in responses[429].headers);
  for (const response of Object.values<{ headers: object }>(responses)) {
    assert('x-request-id' in response.headers);
  }
});

test('tells the two calls of the contract with their signature', () => {
  assert.deepEqual(Object.keys(document.webhooks), ['completion', 'failure']);
  for (const { post } of Object.values<{ post: { parameters: { name: string }[] } }>(
    document.webhooks,
  )) {
    assert.deepEqual(
      post.parameters.map(({ name }) => name),
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    );
  }
});
