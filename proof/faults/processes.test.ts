/**
 * Several processes on one PostgreSQL behave as one service. A home with its own database allows
 * one process and rejects a second one.
 * Thorough: starts several processes.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { textToVideo } from '../kit/journey.ts';
import { type Client, clientOf, makeAccount, testAdminToken } from '../kit/service.ts';
import { Installation } from './installation.ts';
import { reservePort, type ServiceProcess } from './service-process.ts';
import { loseNone } from './upstream.ts';

let installation: Installation;
before(async () => {
  installation = await Installation.open({ upstream: { lostPercent: loseNone } });
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

test('?wait= at one API returns when a worker of another process ends the task', async () => {
  const admin = clientOf(apis[0]!.url, testAdminToken);
  const { key } = await makeAccount(apis[0]!.url, admin, { live: 100 });
  const [here, there] = apis.map(({ url }) => clientOf(url, key)) as [Client, Client];
  installation.upstream.move('stop');
  const { body: created } = await here.create(textToVideo);
  const path = `/v1/tasks/${created.taskId}`;
  while ((await here.get(path)).body.status !== 'generating');
  const waiting = there.get(`${path}?wait=60`);
  installation.upstream.move('go');
  const { body: task } = await waiting;
  assert.deepEqual([task.status, task.failed_reason], ['completed', null]);
  const { body: audit } = await admin.get('/admin/audit');
  assert.equal(audit.ok, true, JSON.stringify(audit));
});
