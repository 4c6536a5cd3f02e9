/** Paths, methods and pages: known ones respond, all others are 404 in the error shape. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ErrorResponse } from '@vidgen/contract/error-response.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { useJourney } from '../../../proof/kit/journey.ts';
import { dialectFormats } from '../dialects/error-formats.ts';
import { createRoutes } from '../routes.ts';
import type { Metrics } from './metrics.ts';
import { createRouter } from './router.ts';

const journey = await useJourney({ script: { status: ['completed'] } });

const routes = createRoutes({ metrics: {} as Metrics });

async function sendRequest(method: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${journey.service.url}${path}`, { method, headers });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const body: unknown = isJson && text ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body };
}

describe('unknown paths: 404', () => {
  const paths = [
    ...['/v1', '/v1/', '/v2/tasks', '/V1/tasks', '/v1/video', '/v1/videos/generations/'],
    ...['/v1/tasks/a/b', '/v1//tasks', '/admin', '/admin/', '/favicon.ico', '/results'],
    ...['/results/x', '/docs/', '/docs/other.js', '/.env', '/..%2f..%2fetc/passwd', '/%', '/%zz'],
    ...['/v1/%c0%ae', '/v1/tasks/%E0%A4%A', `/${'x'.repeat(8000)}`],
  ];
  for (const path of paths) {
    test(path.slice(0, 40), async () => {
      for (const method of ['GET', 'POST', 'DELETE'])
        assertApiError(await sendRequest(method, path), 'not_found');
    });
  }

  test('another method of create, which is no ID of a video', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const response = await sendRequest(method, '/v1/videos/generations?x=1');
      assertApiError(response, 'not_found', /^Unknown path or method/);
    }
  });

  test('every path with every method that it does not have', async () => {
    const findRoute = createRouter(routes, { paramBytesMax: 100 });
    for (const { path } of routes) {
      const samplePath = path.replace(/:\w+/g, 'x');
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        // `GET /v1/videos/edits` of OpenAI's format is a video with that ID.
        if (findRoute(method, samplePath)) continue;
        const response = await sendRequest(method, samplePath);
        const isDialect = dialectFormats.some(([pattern]) => pattern.test(samplePath));
        if (isDialect) assert.match(JSON.stringify(response.body), /Unknown path or method/);
        else assertApiError(response, 'not_found', /Unknown path or method/);
        assert.equal(response.status, 404, `${method} ${samplePath}`);
      }
      const head = await sendRequest('HEAD', samplePath);
      const isPage = /^\/(guides|llms\.txt|vidgen(-ai-sdk)?\.mjs|verify|dashboard|$)/.test(path);
      assert.equal(head.status, isPage && !/:/.test(path) ? 200 : 404, `HEAD ${samplePath}`);
      assert.match(head.headers.get('x-request-id') ?? '', /^req_/);
    }
  });
});

test('an error names the request in its body unless the contract fixes it', async () => {
  for (const [path, isFixed] of [
    ['/v1/videos/generations', true],
    ['/v1/models', true],
    ['/v1/videos/x', false],
    ['/admin/accounts', false],
    ['/session', false],
  ] as const) {
    const { status, headers, body } = await sendRequest('GET', path);
    assert.ok(status >= 400, `${status} ${path}`);
    const { request_id: named } = (body as { error: { request_id?: string } }).error;
    assert.equal(named, isFixed ? undefined : headers.get('x-request-id'), path);
  }
});

test('every response has its own x-request-id, and a client cannot choose it', async () => {
  const ids = new Set<string | null>();
  for (let at = 0; at < 20; at++) {
    const headers = { 'x-request-id': 'mine', 'request-id': 'mine' };
    ids.add(
      (await sendRequest('GET', at % 2 === 0 ? '/healthz' : '/nowhere', headers)).headers.get(
        'x-request-id',
      ),
    );
  }
  assert.equal(ids.size, 20);
  assert(!ids.has('mine'));
});

test('a provider callback is accepted with any body and reveals nothing', async () => {
  for (const reference of ['x', 'a'.repeat(2000)]) {
    for (const [type, body] of [
      ['application/json', '{}'],
      ['application/json', '{'],
      ['text/plain', 'done'],
      ['application/x-www-form-urlencoded', ''],
    ] as const) {
      const response = await fetch(`${journey.service.url}/callbacks/preview/${reference}`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      assert.deepEqual([response.status, await response.text()], [204, '']);
    }
  }
  const nul = await sendRequest('POST', '/callbacks/preview/%00');
  assert.equal(ErrorResponse.parse(nul.body).error.code, 'not_found');
});
