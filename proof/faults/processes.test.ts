/**
 * Several processes on one PostgreSQL behave as one service. A home with its own database allows
 * one process and rejects a second one.
 * Thorough: starts several processes.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, clientOf, makeAccount, testAdminToken } from '../kit/service.ts';
import { taskCredits } from './findings.ts';
import { Installation } from './installation.ts';
import { reservePort, type ServiceProcess } from './service-process.ts';
import { loseNone } from './upstream.ts';

const createsPerMinuteMax = 70;

let installation: Installation;
before(async () => {
  installation = await Installation.open({
    upstream: { lostPercent: loseNone },
    environment: { VIDGEN_RATE_CREATE: String(createsPerMinuteMax) },
  });
});
after(() => installation.close());

test('rejects a second process on the same home and names the first', async () => {
  const environment = { VIDGEN_DATABASE_URL: '' };
  const first = installation.start({ environment });
  await first.waitUntilServing();
  const second = installation.start({ environment, port: await reservePort() });
  assert.equal((await second.exited).code, 1);
  const message = `${installation.home} is in use by process ${first.pid} on `;
  assert.ok(second.output().includes(message), second.output());
  assert.equal((await fetch(`${first.url}/healthz`)).status, 200);
  await first.stop();
});

let apis: ServiceProcess[];
const adminAt = (at: number): Client => clientOf(apis[at]!.url, testAdminToken);
const accountWith = (live: number) => makeAccount(apis[0]!.url, adminAt(0), { live });
const clientsOf = (key: string) => apis.map(({ url }) => clientOf(url, key)) as [Client, Client];
const body = (prompt: string) => ({
  model: 'vidgen-2-0-mini',
  input: { prompt, resolution: '480p', duration: 5 },
});

test('one API and one worker, started together, are a service', async () => {
  const worker = installation.start({ role: 'worker' });
  const api = installation.start({ role: 'api' });
  await api.waitUntilServing();
  await installation.account();
  const taskNumber = await installation.clients.create();
  const taskId = installation.clients.acknowledged.get(taskNumber)!;
  const [webhook] = await installation.receiver.waitForWebhooks(1);
  assert.deepEqual([webhook!.body.id, webhook!.body.status], [taskId, 'completed']);
  const { body: task } = await installation.read(`/v1/tasks/${taskId}`);
  assert.deepEqual([task.status, task.billing_status], ['completed', 'charged']);

  const second = installation.start({ role: 'api', port: await reservePort() });
  installation.start({ role: 'worker' });
  await second.waitUntilServing();
  apis = [api, second];
  assert.equal(worker.hasExited, false);
});

test('accepts exactly 10 of 64 parallel creates at both APIs with credits for 10', async () => {
  const { id, key } = await accountWith(10 * taskCredits + 3);
  const clients = clientsOf(key);
  const responses = await Promise.all(
    Array.from({ length: 64 }, (_, at) => clients[at % 2]!.create(body('A kite'))),
  );
  const accepted = responses.filter(({ status }) => status === 200);
  const rejected = responses.filter(({ status }) => status === 402);
  assert.deepEqual([accepted.length, rejected.length], [10, 54]);
  assert.equal(new Set(accepted.map((response) => response.body.taskId)).size, 10);
  await Promise.all(
    accepted.map((response, at) => clients[at % 2]!.final(response.body.taskId as string)),
  );
  const { body: account } = await adminAt(1).get(`/admin/accounts/${id}`);
  const { live } = account.balance as { live: unknown };
  assert.deepEqual(live, { available: 3, reserved: 0, suspended: 0 });
});

test('the create limit is exact over both APIs', async () => {
  const { key } = await accountWith(0);
  const clients = clientsOf(key);
  const responses = await Promise.all(
    Array.from({ length: createsPerMinuteMax + 50 }, (_, at) => clients[at % 2]!.create({})),
  );
  const count = (expected: number) => responses.filter(({ status }) => status === expected).length;
  assert.deepEqual([count(400), count(429)], [createsPerMinuteMax, 50]);
});

test('rejects a key revoked at one API there at once, and soon at the other', async () => {
  const { key, keyId } = await accountWith(0);
  const [here, there] = clientsOf(key);
  for (const client of [here, there]) assert.equal((await client.get('/v1/credits')).status, 200);
  assert.equal((await adminAt(0).send('DELETE', `/admin/keys/${keyId}`)).status, 204);
  assert.equal((await here.get('/v1/credits')).status, 401);
  while ((await there.get('/v1/credits')).status !== 401);
});

test('an Idempotency-Key used at both APIs, also in parallel, makes one task', async () => {
  const { key, id } = await accountWith(100);
  const clients = clientsOf(key);
  const create = (at: number) =>
    clients[at % 2]!.create(body('A lighthouse'), { 'idempotency-key': 'one lighthouse' });
  const responses = await Promise.all(Array.from({ length: 20 }, (_, at) => create(at)));
  responses.push(await create(0), await create(1));
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(responses.map((response) => response.body.taskId)).size, 1);
  const { body: page } = await adminAt(1).get(`/admin/accounts/${id}/tasks`);
  assert.equal((page.items as unknown[]).length, 1);
});

test('?wait= at one API returns when a worker of another process ends the task', async () => {
  const { key } = await accountWith(100);
  const [here, there] = clientsOf(key);
  installation.upstream.move('stop');
  const { body: created } = await here.create(body('A paper plane'));
  const path = `/v1/tasks/${created.taskId}`;
  while ((await here.get(path)).body.status !== 'generating');
  const waiting = there.get(`${path}?wait=60`);
  installation.upstream.move('go');
  const { body: task } = await waiting;
  assert.deepEqual([task.status, task.failed_reason], ['completed', null]);
});

test('the ledger of all processes is consistent', async () => {
  const { body: found } = await adminAt(1).get('/admin/audit');
  assert.equal(found.ok, true, JSON.stringify(found));
});
