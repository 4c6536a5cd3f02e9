/** Health, readiness and metrics: what each caller sees, with and without the database. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { HealthResponse } from '@vidgen/contract/admin-audit.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { createScriptedProvider } from '../../../proof/kit/scripted-provider.ts';
import { clientOf, startService, testAdminToken } from '../../../proof/kit/service.ts';
import { DatabaseUnavailableError } from '../../database/database.ts';

describe('a complete installation', async () => {
  const service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
  after(() => service.close());
  const anyone = () => clientOf(service.url, 'nobody');
  const metrics = async (headers: Record<string, string> = {}) =>
    await fetch(`${service.url}/metrics`, { headers });

  test('/healthz and /readyz return 200 to everyone', async () => {
    const healthz = await anyone().get('/healthz');
    assert.deepEqual(
      [healthz.status, healthz.body],
      [200, { ok: true, checks: { database: 'ok' } }],
    );
    const readyz = await anyone().get('/readyz');
    assert.equal(readyz.status, 200);
    const checks = { database: 'ok', migrations: 'ok', providers: 'ok', worker: 'none is running' };
    assert.deepEqual(HealthResponse.parse(readyz.body), { ok: true, checks });
  });

  test('/readyz returns 503 while a migration is missing, and names it', async () => {
    const { rows } = await service.db.query<{ name: string; digest: string }>(
      `delete from migrations where name like '0001%' returning name, digest`,
    );
    const { name, digest } = rows[0]!;
    const { status, body } = await anyone().get('/readyz');
    const { ok, checks } = HealthResponse.parse(body);
    assert.deepEqual([status, ok, checks.migrations], [503, false, `not applied: ${name}`]);
    await service.db.query('insert into migrations (name, digest) values ($1, $2)', [name, digest]);
    assert.equal((await anyone().get('/readyz')).status, 200);
  });

  test('/metrics returns Prometheus text to a direct caller on this machine', async () => {
    await anyone().get('/healthz');
    await anyone().get('/v1/no-such-thing');
    const response = await metrics();
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(response.headers.get('x-request-id') ?? '', /^req_/);
    const text = await response.text();
    assert.match(text, /^vidgen_http_request_seconds_count\{.*route="\/healthz",status="200"\} /m);
    assert.match(text, /route="unknown",status="404"/);
    assert(!text.includes('no-such-thing'), 'a label that callers choose grows without end');
    for (const name of ['vidgen_tasks', 'vidgen_jobs', 'vidgen_deliveries']) {
      assert.match(text, new RegExp(`^# TYPE ${name} gauge$`, 'm'));
    }
  });

  test('/metrics requires the admin token behind a proxy', async () => {
    const proxies = [
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
      { 'x-real-ip': '127.0.0.1' },
      { via: '1.1 proxy' },
    ];
    for (const headers of proxies) {
      const response = await metrics(headers as Record<string, string>);
      const captured = {
        status: response.status,
        headers: response.headers,
        body: await response.json(),
      };
      assertApiError(
        captured,
        'invalid_api_key',
        'Metrics require the admin token or a direct request from this machine.',
      );
      const authorization = `Bearer ${testAdminToken}`;
      const allowed = await metrics({ ...(headers as Record<string, string>), authorization });
      assert.equal(allowed.status, 200);
    }
    const wrong = await metrics({ 'x-forwarded-for': '::1', authorization: 'Bearer x' });
    assert.equal(wrong.status, 401);
  });
});

test('a model without a provider makes a process not ready, one without a price not', async () => {
  const provider = createScriptedProvider({ results: { folder: 'never written' } });
  const route = [provider.name];
  const service = await startService({
    environment: { VIDGEN_ROLE: 'api' },
    providers: { [provider.name]: provider },
    file: {
      routes: { 'vidgen-2-5': route, 'vidgen-2-0': route, 'vidgen-2-0-mini': route },
      prices: { 'vidgen-2-5': { '1080p': null } },
    },
  });
  const anyone = clientOf(service.url, 'nobody');
  const { status, body } = await anyone.get('/readyz');
  const { ok, checks } = HealthResponse.parse(body);
  assert.deepEqual([status, ok], [503, false]);
  assert.equal(checks.providers, 'no provider for vidgen-2-0-fast');
  assert.ok(!JSON.stringify(checks).includes('vidgen-2-5'), 'a price may be taken away on purpose');
  assert.equal((await anyone.get('/healthz')).status, 200);
  await service.close();
});

test('without a connection in time: 503 with Retry-After, in any format', async (t) => {
  await using service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
  const { client } = await service.account({ live: 100 });
  const unavailable = () =>
    Promise.reject(new DatabaseUnavailableError(new Error('connect ECONNREFUSED')));
  t.mock.method(service.db, 'query', unavailable);
  t.mock.method(service.db, 'transaction', unavailable);
  for (const { status, headers, body } of [
    await client.create(textToVideo),
    await client.get('/v1/credits'),
    await client.get('/v1/videos?limit=1'),
    await service.admin.get('/admin/accounts'),
  ]) {
    assert.deepEqual([status, headers.get('retry-after')], [503, '5']);
    assert.match(
      JSON.stringify(body),
      /The service is temporarily unavailable; retry in 5 seconds/,
    );
    assert.doesNotMatch(JSON.stringify(body), /ECONNREFUSED/);
  }
  t.mock.restoreAll();
  assert.equal((await client.create(textToVideo)).status, 200);
});

test('a database that hangs: 503, by one check for all callers', async (t) => {
  await using service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
  const anyone = clientOf(service.url, 'nobody');
  const { promise, resolve } = Promise.withResolvers<never>();
  const query = t.mock.method(service.db, 'query', () => promise);
  const hung = await Promise.all([1, 2, 3].map(() => anyone.get('/healthz')));
  assert.deepEqual(pluck(hung, 'status'), [503, 503, 503]);
  assert.deepEqual(hung[0]!.body.checks, { database: 'not reachable' });
  assert.equal((await anyone.get('/readyz')).status, 503);
  const checks = query.mock.calls.filter(({ arguments: [text] }) => text === 'select 1');
  assert.equal(checks.length, 1);
  query.mock.restore();
  resolve(undefined as never);
  assert.equal((await anyone.get('/healthz')).status, 200);
});

test('without its database: 503, and 500 without internal details', async () => {
  const service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
  const { client } = await service.account({ live: 100 });
  const { body } = await client.create(textToVideo);
  await service.db.close();
  const healthz = await client.get('/healthz');
  const unreachable = { ok: false, checks: { database: 'not reachable' } };
  assert.deepEqual([healthz.status, healthz.body], [503, unreachable]);
  assert.equal((await client.get('/readyz')).status, 503);
  for (const response of [
    await client.create(textToVideo),
    await client.get(`/v1/tasks/${body.taskId}`),
    await client.get('/v1/credits'),
    await service.admin.get('/admin/accounts'),
  ]) {
    const { message } = assertApiError(response, 'internal_error');
    const id = response.headers.get('x-request-id');
    const prefix =
      'Something went wrong on our side; try again later or contact support with request ID';
    assert.equal(message, `${prefix} ${id}.`);
  }
  await service.close().catch(() => {});
});

test('a process that is told to stop is not ready, and accepts requests for a while', async () => {
  const environment = { VIDGEN_ROLE: 'api', VIDGEN_DRAIN_SECONDS: '2' };
  const service = await startService({ environment });
  const { key } = await service.account({ live: 100 });
  const closing = service.close();
  const readyz = await clientOf(service.url, 'nobody').get('/readyz');
  assert.deepEqual(
    [readyz.status, readyz.body],
    [503, { ok: false, checks: { process: 'stopping' } }],
  );
  assert.equal((await clientOf(service.url, key).create(textToVideo)).status, 200);
  await closing;
  await assert.rejects(fetch(`${service.url}/readyz`));
});
