/** DNS rebinding: a service on loopback answers only under its own names. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { sendRaw } from '../../../proof/kit/raw-http.ts';
import { useService } from '../../../proof/kit/service.ts';
import { createRoutes } from '../routes.ts';
import { requireAllowedHost } from './request-origin.ts';

const environment = { VIDGEN_ROLE: 'api', VIDGEN_ALLOWED_HOSTS: 'Videos.internal, other' };
const service = await useService({ environment });

const get = async (path: string, host: string, method = 'GET') => {
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  return (await sendRaw(service.url, head))[0]!;
};

const routes = createRoutes({
  metrics: { text: async () => '' },
});

describe('a request that names another host', () => {
  const guarded = routes.filter(({ path }) => !/^\/(v1|api\/v[13])\//.test(path));
  for (const { method, path, formatError } of guarded) {
    test(`is rejected: ${method} ${path}`, async () => {
      for (const host of ['evil.example', `evil.example:${new URL(service.url).port}`]) {
        const response = await get(path.replace('*', 'x'), host, method);
        if (formatError) assert.equal(response.status, 403);
        else assertApiError(response, 'forbidden');
      }
    });
  }

  test('reaches only /v1, /api/v1 and /api/v3, where it needs a key', async () => {
    assertApiError(await get('/v1/credits', 'evil.example'), 'invalid_api_key');
    assert.equal((await get('/api/v1/videos/models', 'evil.example')).status, 401);
    const tasks = '/api/v3/contents/generations/tasks';
    assert.equal((await get(tasks, 'evil.example')).status, 401);
    assertApiError(await get('/v1x', 'evil.example'), 'not_found');
  });

  test('is rejected however the name is written', async () => {
    for (const host of ['localhost.evil.example', '127.0.0.1.evil.example', 'a@localhost:80:1']) {
      assertApiError(await get('/metrics', host), 'forbidden');
    }
  });
});

test('the own names, the public URL and configured hosts are served, with any port', async () => {
  const hosts = ['localhost', 'LOCALHOST:1', '127.0.0.1:8787', '[::1]:8787', 'videos.internal.'];
  for (const host of [...hosts, 'other:80']) {
    assert.equal((await get('/metrics', host)).status, 200, host);
  }
});

test('a service that is not on loopback leaves the names to its proxy', () => {
  const rules = { publicUrl: () => 'https://videos.example.com', allowedHosts: [] };
  const request = { url: '/healthz', headers: { host: '10.1.2.3:8787' } };
  requireAllowedHost({ ...request, localAddress: '10.1.2.3' }, rules);
  assert.throws(() => requireAllowedHost({ ...request, localAddress: '127.0.0.1' }, rules));
});
