/**
 * Every kind of response has its security headers: JSON, pages, files, errors, and responses to
 * bytes that are not HTTP.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { sendRaw } from '../../../proof/kit/raw-http.ts';
import { resultFramePath } from '../../../proof/kit/result-server.ts';
import { testAdminToken } from '../../../proof/kit/service.ts';
import { createRoutes } from '../routes.ts';
import type { Metrics } from './metrics.ts';

const journey = await useJourney({ script: { status: ['completed'] } });
const { service } = journey;
const account = await service.account({ live: 100 });
const { data } = await account.client.run(textToVideo);
const { url } = await account.client.upload(await readFile(resultFramePath));
const withoutOrigin = (address: string) => address.slice(service.url.length);
const files = { result: withoutOrigin(data!.results[0]!), upload: withoutOrigin(url) };

type RequestSpec = { readonly path: string; readonly method?: string } & Record<string, unknown>;

async function sendRequest({ path, method = 'GET', ...headers }: RequestSpec) {
  const requestHeaders = headers as Record<string, string>;
  const response = await fetch(`${journey.service.url}${path}`, {
    method,
    headers: requestHeaders,
  });
  await response.arrayBuffer();
  return response;
}

const key = () => ({ authorization: `Bearer ${account.key}` });
const admin = { authorization: `Bearer ${testAdminToken}` };

function assertSafe({ headers }: Pick<Response, 'headers'>, what: string): void {
  assert.match(headers.get('x-request-id') ?? '', /^req_/, what);
  assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
  assert.equal(headers.get('referrer-policy'), 'no-referrer', what);
  for (const name of ['server', 'x-powered-by', 'access-control-allow-origin']) {
    assert.equal(headers.get(name), null, `${what}: ${name}`);
  }
  const type = headers.get('content-type') ?? '';
  const policy = headers.get('content-security-policy') ?? '';
  if (/^(application\/json|text\/(html|plain|markdown))/.test(type)) {
    assert.match(policy, /^default-src 'none'; /, what);
    assert.match(policy, /frame-ancestors 'none'/, what);
    assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline|\*/, what);
  }
}

const inert = "default-src 'none'; frame-ancestors 'none'";

const cases: readonly [what: string, status: number, asking: () => RequestSpec][] = [
  ['data for a key', 200, () => ({ path: '/v1/credits', ...key() })],
  ['an error: no key', 401, () => ({ path: '/v1/credits' })],
  ['an error: forbidden', 403, () => ({ path: '/session', method: 'POST', origin: 'http://x' })],
  ['an error: no such task', 404, () => ({ path: '/v1/tasks/task_x', ...key() })],
  ['an error: no such path', 404, () => ({ path: '/nowhere' })],
  [
    'an error: a wrong body',
    400,
    () => ({ path: '/v1/videos/generations', ...key(), method: 'POST' }),
  ],
  ['an error: a forged address', 404, () => ({ path: files.result.slice(0, -1) })],
  ['nothing', 204, () => ({ path: '/callbacks/preview/x', method: 'POST' })],
  ['the OpenAPI document', 200, () => ({ path: '/openapi.json' })],
  ['a guide', 200, () => ({ path: '/guides/webhooks' })],
  ['a guide as Markdown', 200, () => ({ path: '/guides/webhooks.md' })],
  ['a page of it', 200, () => ({ path: '/dashboard/tasks' })],
  ['an export', 200, () => ({ path: '/admin/tasks?format=csv', ...admin })],
  ['a result', 200, () => ({ path: files.result })],
  ['its head', 200, () => ({ path: files.result, method: 'HEAD' })],
  ['a part of it', 206, () => ({ path: files.result, range: 'bytes=0-9' })],
  ['a part that it has not', 416, () => ({ path: files.result, range: 'bytes=99999999-' })],
  ['an upload', 200, () => ({ path: files.upload })],
];

describe('are on', () => {
  for (const [what, status, spec] of cases) {
    test(what, async () => {
      const response = await sendRequest(spec());
      assert.equal(response.status, status);
      assertSafe(response, what);
      const type = response.headers.get('content-type') ?? '';
      if (!type.startsWith('application/json')) return;
      assert.equal(response.headers.get('content-security-policy'), inert);
      if (what === 'the OpenAPI document') return;
      assert.equal(response.headers.get('cache-control'), 'no-store');
    });
  }

  test('the responses of every endpoint, with and without authorization', async () => {
    const routes = createRoutes({ metrics: {} as Metrics });
    for (const { method, path } of routes) {
      const target = path.replace(/:\w+/g, 'x').replace('*', 'x');
      assertSafe(await sendRequest({ path: target, method }), `${method} ${target}`);
      // The token is valid; nothing is sent, so nothing changes.
      assertSafe(
        await sendRequest({ path: target, method, ...admin }),
        `${method} ${target}, admin`,
      );
    }
  });

  test('the response to bytes that are not HTTP', async () => {
    const { url } = journey.service;
    const host = 'Host: 127.0.0.1\r\nConnection: close\r\n';
    for (const sent of [
      'nonsense\r\n\r\n',
      `MADE-UP / HTTP/1.1\r\n${host}\r\n`,
      `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}Host: other\r\n\r\n`,
    ]) {
      const [response] = await sendRaw(url, sent);
      assertSafe(response!, sent.slice(0, 30));
      assert.equal(response!.headers.get('content-security-policy'), inert);
    }
  });
});
