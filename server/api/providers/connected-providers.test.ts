/**
 * Providers that are connected in the dashboard: from the request to a live task and back.
 * Thorough: waits for the polls of real providers.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ListProviderPresetsResponse } from '@vidgen/contract/admin-presets.ts';
import { ListProvidersResponse, ProviderTest } from '@vidgen/contract/admin-providers.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { sampleStart } from '../../../proof/kit/conformance-fixture.ts';
import { attemptsOf, textToVideo } from '../../../proof/kit/journey.ts';
import { FakeOpenAiVideos, servedModel } from '../../../proof/kit/openai-videos/fake.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { composeSecond } from '../../../proof/kit/second-process.ts';
import { type Client, startService } from '../../../proof/kit/service.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';
import { deleteRemoved } from '../../providers/connected/store.ts';
import { listAttempts } from '../../tasks/find-attempts.ts';

const apiKey = 'sk-engine-key-0123456789-wxyz';
const engine = await FakeOpenAiVideos.start({ dialect: 'vllm', apiKey, automatic: true });
const service = await startService();
after(async () => {
  await service.close();
  await engine.close();
});
const { admin } = service;
const { model } = textToVideo;

const connect = (name: string, change: Readonly<Record<string, unknown>> = {}) =>
  admin.post('/admin/providers', {
    name,
    kind: 'openai-videos',
    dialect: 'vllm',
    base_url: engine.baseUrl,
    api_key: apiKey,
    models: { [model]: servedModel },
    ...change,
  });
const route = (...providers: string[]) => admin.post(`/admin/routes/${model}`, { providers });
const list = async () => ListProvidersResponse.parse((await admin.get('/admin/providers')).body);
const viewOf = async (name: string) => (await list()).items.find((one) => one.name === name);
const routeOf = async () => (await list()).routes.find((one) => one.model === model)!;

async function testVideo(name: string): Promise<ProviderTest> {
  const { status, body } = await admin.post(`/admin/providers/${name}/tests`);
  assert.equal(status, 201, JSON.stringify(body));
  const started = ProviderTest.parse(body);
  return await waitUntil(async () => {
    const read = await admin.get(`/admin/provider-tests/${started.id}`);
    const made = ProviderTest.parse(read.body);
    return made.state !== 'running' && made;
  });
}

/** Polls without a delay: the first poll comes after half of the typical duration. */
async function finalOf(client: Client, id: string) {
  await waitUntil(async () => {
    await service.db.query(
      `update jobs set run_at = now()
       where task_id = $1 and kind = 'poll' and lease_until is null and run_at > now()`,
      [id],
    );
    return ['completed', 'failed'].includes((await client.task(id)).status);
  });
  return await client.task(id);
}

test('a provider is connected, tested, routed, used by a live task, and removed', async () => {
  const connected = await connect('engine');
  assert.equal(connected.status, 201, JSON.stringify(connected.body));
  assert.deepEqual((await routeOf()).providers, ['preview']);
  const made = await testVideo('engine');
  assert.deepEqual([made.state, made.detail], ['completed', null]);
  const video = await fetch(made.video_url!);
  assert.deepEqual([video.status, video.headers.get('content-type')], [200, 'video/mp4']);
  await video.body?.cancel();

  assert.equal((await route('engine')).status, 200);
  const account = await service.account({ live: 100 });
  const { body } = await account.client.create(textToVideo);
  const final = await finalOf(account.client, String(body.taskId));
  assert.deepEqual([final.status, final.billing_status], ['completed', 'charged']);
  assert.deepEqual(await attemptsOf(service, String(body.taskId)), [['engine', 'completed']]);

  assert.equal((await admin.send('DELETE', '/admin/providers/engine')).status, 204);
  assert.deepEqual((await routeOf()).providers, ['preview']);
  assert.equal((await viewOf('engine'))?.state, 'removing');
  assertApiError(await connect('engine'), 'invalid_request', /^The name engine is taken/);
  assertApiError(await admin.send('DELETE', '/admin/providers/engine'), 'not_found');
  await service.assertInvariants();
});

test('a model is tested before it is declared, and sold after that', async () => {
  const name = 'acme/later';
  const connected = await connect('early', { models: { [name]: servedModel } });
  assert.equal(connected.status, 201, JSON.stringify(connected.body));
  assert.equal((await testVideo('early')).state, 'completed');
  const setRoute = () =>
    admin.post(`/admin/routes/${encodeURIComponent(name)}`, { providers: ['early'] });
  assertApiError(await setRoute(), 'not_found');
  const { body } = await admin.get('/admin/providers/presets');
  const [preset] = ListProviderPresetsResponse.parse(body).items;
  const { upstream: _, ...limits } = preset!.models[0]!;
  const resolutions = { '720p': { perSecond: 1 } };
  const declared = await admin.post('/admin/models', { ...limits, name, resolutions });
  assert.equal(declared.status, 201, JSON.stringify(declared.body));
  assert.equal((await setRoute()).status, 200);
});

test('the key is in no response, row or audit entry, and its end in the list only', async () => {
  await connect('secret');
  assert.equal((await admin.post('/admin/providers/secret/tests')).status, 201);
  assert.equal((await viewOf('secret'))?.key_last_four, 'wxyz');
  const tables = ['connected_providers', 'provider_credentials', 'audit_log'];
  for (const table of [...tables, 'provider_tests', 'processes']) {
    const { rows } = await service.db.query(`select * from ${table}`);
    assert.ok(!JSON.stringify(rows).includes(apiKey.slice(0, -4)), table);
  }
  const responses = [await admin.get('/admin/providers'), await admin.get('/admin/audit-log')];
  for (const { body } of responses) assert.ok(!JSON.stringify(body).includes(apiKey));
  const actions = pluck(await service.auditLog('secret'), 'action');
  assert.deepEqual(actions, ['provider.test', 'provider.connect']);
});

test('a wrong key is the provider’s own message, and a new key repairs it', async () => {
  await connect('wrong', { api_key: 'sk-not-the-key-of-this-engine' });
  const failed = await testVideo('wrong');
  assert.equal(failed.state, 'failed');
  assert.match(failed.detail!, /^The provider rejected the test: Unauthorized/);
  const replaced = await admin.post('/admin/providers/wrong/key', { api_key: apiKey });
  assert.equal(replaced.status, 200, JSON.stringify(replaced.body));
  assert.equal((await testVideo('wrong')).state, 'completed');
});

test('a connection is corrected, with its key kept', async () => {
  const at = { base_url: 'http://127.0.0.1:9/v1' };
  const nobody = /^base_url must lead to a server that answers \(got .*ECONNREFUSED/;
  assertApiError(await connect('typo', { ...at, dial: true }), 'invalid_request', nobody);
  await connect('typo', at);
  const change = (body: object) => admin.send('PATCH', '/admin/providers/typo', body);
  assertApiError(await change({ ...at, dial: true }), 'invalid_request', nobody);
  assertApiError(await change({ base_url: 'ftp://gpu' }), 'invalid_request', /^base_url must be/);
  assertApiError(await change({ models: {} }), 'invalid_request', /at least one model/);
  const changed = await change({ base_url: engine.baseUrl, dial: true });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.deepEqual((await admin.get('/admin/providers/typo')).body, changed.body);
  assert.equal((await testVideo('typo')).state, 'completed');
  const costs = { models: { [model]: { '480p': { perSecond: 0.02 } } } };
  assert.deepEqual((await change({ costs })).body.costs, costs);
  const costsOf = () => service.parts.lifecycle.providers.limitsOf('typo').costs;
  assert.deepEqual(costsOf(), costs);
  const rule = /^costs.perUnit must be at least 0/;
  assertApiError(await change({ costs: { perUnit: -1 } }), 'invalid_request', rule);
  assert.equal((await change({ costs: null })).body.costs, undefined);
  assert.equal(costsOf(), undefined);
  assertApiError(await admin.send('PATCH', '/admin/providers/nobody', at), 'not_found');
});

for (const [name, key] of [['moved', { apiKey }] as const, ['open', { apiKey: null }] as const]) {
  test(`tasks at ${name} keep the settings they were started with, in any process`, async (t) => {
    const options = { dialect: 'vllm', automatic: true, ...key } as const;
    const before = await FakeOpenAiVideos.start(options);
    const other = await FakeOpenAiVideos.start(options);
    t.after(() => Promise.all([before.close(), other.close()]));
    const edit = { base_url: other.baseUrl };
    await connect(name, { base_url: before.baseUrl, api_key: key.apiKey ?? undefined });
    await route(name);
    const { client } = await service.account({ live: 100 });
    const start = async () => {
      const id = String((await client.create(textToVideo)).body.taskId);
      await waitUntil(async () => (await client.task(id)).status !== 'queued');
      return (await listAttempts(service.db, id))[0]!;
    };
    await using second = await composeSecond(service);
    const { providers } = second.lifecycle;
    const lagging = providers.get(name)!;
    const first = await start();
    const starting: (string | null)[] = [];
    const { setConnected } = providers;
    providers.setConnected = (connected) => {
      setConnected(connected);
      starting.push(providers.get(name)?.credential ?? null);
    };
    assert.equal((await admin.send('PATCH', `/admin/providers/${name}`, edit)).status, 200);
    const next = await start();
    assert.equal(next.credential, `${first.credential ?? ''}@2`);
    await waitUntil(async () => providers.get(name)?.credential === next.credential);
    assert.deepEqual(starting, [first.credential, next.credential], 'it is announced in between');
    const late = await lagging.start(sampleStart({ model }));
    assert(late.outcome === 'accepted');
    const startedBefore = () => pluck(before.started(), 'id');
    assert.deepEqual(startedBefore(), [first.operation, late.operation]);
    await providers.get(name, lagging.credential ?? null)!.cancel(late.operation);
    assert.deepEqual(startedBefore(), [first.operation]);
    for (const { taskId } of [first, next]) {
      assert.equal((await finalOf(client, taskId)).status, 'completed');
    }
    await route();
  });
}

test('a provider that cannot be reached says so', async () => {
  await connect('gone', { base_url: 'http://127.0.0.1:9/v1' });
  const failed = await testVideo('gone');
  assert.match(failed.detail!, /^Couldn’t reach the provider: .*127\.0\.0\.1:9/);
});

test('routes take only connected providers, each once, that serve the model', async () => {
  await connect('routed');
  await connect('other', { models: { 'vidgen-2-0': servedModel } });
  assertApiError(await route('nobody'), 'invalid_request', /"nobody" is not connected/);
  assertApiError(await route('other'), 'invalid_request', /other does not serve/);
  assertApiError(await route('routed', 'routed'), 'invalid_request', /"routed" twice/);
  assertApiError(await admin.post('/admin/routes/gpt', { providers: [] }), 'not_found');
  const { body } = await route('routed', 'preview');
  assert.deepEqual(body.providers, ['routed', 'preview']);
  assert.equal((await route()).status, 200);
  const providers = ['preview'];
  const steps = [{ providers, by: null }];
  assert.deepEqual(await routeOf(), { model, providers, steps, source: 'default' });
});

test('every process follows within seconds, and finishes tasks of a removed provider', async () => {
  await connect('shared');
  await using second = await composeSecond(service);
  assert.ok(second.lifecycle.providers.has('shared', null));
  await route('shared');
  await waitUntil(async () => second.lifecycle.providers.routeNames(model)[0] === 'shared');
  const account = await service.account({ live: 100 });
  const { body } = await account.client.create(textToVideo);
  const id = String(body.taskId);
  await waitUntil(async () => (await account.client.task(id)).status !== 'queued');
  await admin.send('DELETE', '/admin/providers/shared');
  await waitUntil(async () => second.lifecycle.providers.routeNames(model)[0] === 'preview');
  assert.equal((await finalOf(account.client, id)).status, 'completed');
  assert.deepEqual(await attemptsOf(service, id), [['shared', 'completed']]);
});

test('what the workers know of a provider is shown by every process, until they stop', async () => {
  await connect('remote', { base_url: 'http://127.0.0.1:9' });
  await using worker = await composeSecond(service);
  const { start } = worker.lifecycle.providers.get('remote')!;
  const results = await Promise.all(Array.from({ length: 5 }, () => start(sampleStart({ model }))));
  assert.deepEqual(new Set(results.map(({ outcome }) => outcome)), new Set(['throttled']));
  await waitUntil(async () => (await viewOf('remote'))!.starts.throttled === 5);
  const shown = (await viewOf('remote'))!;
  assert.notEqual(shown.breaker, 'closed');
  assert.match(shown.last_trouble!.detail, /ECONNREFUSED/);
  assert.ok(shown.start_ms);
  await service.db.query(`update processes set seen_at = now() - interval '1 minute'`);
  const { breaker, starts, start_ms: times } = (await viewOf('remote'))!;
  assert.deepEqual([breaker, starts.throttled, times], ['closed', 0, null]);
});

test('a live task that waits for a removed provider does not go to the preview', async () => {
  await connect('leaving');
  await route('leaving');
  const { providers } = service.parts.lifecycle;
  const before = new Date();
  const live = { mode: 'live', demo: false } as const;
  const names = (task: { createdAt?: Date }) =>
    providers.routeFor(model, { ...live, ...task }).map(({ name }) => name);
  assert.deepEqual(names({ createdAt: before }), ['leaving']);
  await admin.send('DELETE', '/admin/providers/leaving');
  assert.deepEqual(names({ createdAt: before }), []);
  assert.deepEqual(names({}), ['preview'], 'a new task');
  await connect('coming');
  await route('coming');
  assert.deepEqual(names({ createdAt: before }), ['coming']);
  await route();
});

test('a key of another VIDGEN_SECRET gets no tasks until the key is entered again', async () => {
  await connect('locked');
  await route('locked', 'preview');
  await service.db.query(
    `update provider_credentials set key_id = 'of another secret' where provider = 'locked'`,
  );
  await service.parts.connections.refresh();
  const locked = await viewOf('locked');
  assert.equal(locked?.state, 'locked');
  assert.match(locked.last_trouble!.detail, /saved with another VIDGEN_SECRET. Replace the key/);
  assert.deepEqual((await routeOf()).providers, ['preview']);
  await admin.post('/admin/providers/locked/key', { api_key: apiKey });
  assert.equal((await viewOf('locked'))?.state, 'active');
  assert.deepEqual((await routeOf()).providers, ['locked', 'preview']);
  await route();
});

test('keeps credentials and settings until their last task has ended', async () => {
  await connect('kept');
  await admin.post('/admin/providers/kept/key', { api_key: apiKey });
  await admin.send('PATCH', '/admin/providers/kept', { concurrency: 2 });
  await admin.send('DELETE', '/admin/providers/kept');
  const stored = async () => {
    const { rows } = await service.db.query<{ id: string }>(
      `select id from provider_credentials where provider = 'kept' order by created_at`,
    );
    return rows.map(({ id }) => id);
  };
  const versions = async () => {
    const found = await service.db.query(`select from provider_versions where provider = 'kept'`);
    return found.rowCount;
  };
  const [older = '', newer = ''] = await stored();
  await deleteRemoved(service.db, []);
  assert.deepEqual(await stored(), [older, newer], 'a task may just have been started');
  assert.equal(await versions(), 1);
  await service.db.query(`update provider_versions set replaced_at = now() - interval '1 hour'`);
  await service.db.query(
    `update connected_providers set removed_at = now() - interval '1 hour' where name = 'kept'`,
  );
  await service.db.query(
    `update provider_credentials set created_at = created_at - interval '1 hour'
     where provider = 'kept'`,
  );
  await deleteRemoved(service.db, [{ provider: 'kept', credential: older }]);
  assert.deepEqual(await stored(), [older, newer]);
  assert.equal(await versions(), 1);
  await deleteRemoved(service.db, [{ provider: 'kept', credential: `${newer}@2` }]);
  assert.deepEqual(await stored(), [newer]);
  assert.equal(await versions(), 0);
  await deleteRemoved(service.db, []);
  assert.deepEqual(await stored(), []);
  await service.parts.connections.refresh();
  assert.equal(await viewOf('kept'), undefined);
  assert.equal((await connect('kept')).status, 201);
});
