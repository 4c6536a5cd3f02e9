/**
 * Tasks on GPU boxes that connect by themselves: one box, a pool, a box that is away, one that dies
 * and one that never returns, and a worker process that holds no connection itself.
 * Thorough: waits for a deadline; `server/providers/fleet` runs every time.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Worker } from '@vidgen/contract/admin-workers.ts';
import type { ConfigFile } from '../../server/config/config-file.ts';
import { connectBox, isConnected } from '../kit/gpu-box.ts';
import { createTask } from '../kit/journey.ts';
import { FakeOpenAiVideos } from '../kit/openai-videos/fake.ts';
import { composeSecond } from '../kit/second-process.ts';
import { startService } from '../kit/service.ts';
import { waitUntil } from '../kit/wait-until.ts';

const models = { 'vidgen-2-0-mini': 'wan' };
const ownBox = { kind: 'openai-videos', dialect: 'vllm', usualSeconds: 1, models } as const;
const file: ConfigFile = {
  providers: { den: { ...ownBox, baseUrl: 'tunnel://den' } },
  routes: { 'vidgen-2-0-mini': ['den'] },
};
const engineOf = async (automatic: boolean) => {
  const fake = await FakeOpenAiVideos.start({ dialect: 'vllm', automatic });
  after(() => fake.close());
  return { fake, engineUrl: fake.origin };
};

test('waits for a box that is away, and asks one that died again', async () => {
  const environment = { VIDGEN_TASK_TIMEOUT: '30s' };
  await using service = await startService({ file, environment });
  const { fake, engineUrl } = await engineOf(false);
  const options = { name: 'den', kind: 'openai-videos', engineUrl } as const;
  const early = await createTask(service);
  await waitUntil(async () => (await early.client.task(early.taskId)).status === 'queued');
  const box = await connectBox(service, options);
  await early.reach('generating');
  assert.equal(fake.started().length, 1, 'nothing was sent before, and one thing after');
  // As if it lost its power: no goodbye, and the engine goes on.
  box.tunnel.end();
  await waitUntil(() => !isConnected(service, 'den'));
  fake.advance(fake.started()[0]!.id, 'completed');
  const again = box.start();
  assert.equal((await early.final()).billing_status, 'charged');
  assert.equal(fake.started().length, 1);

  const lost = await createTask(service);
  await lost.reach('generating');
  again.end();
  const ended = await lost.final();
  assert.deepEqual([ended.status, ended.billing_status], ['failed', 'refunded']);
  assert.equal(await lost.available(), 100);
  await service.assertInvariants();
});

test('spreads tasks over a pool by free slots; a box that drains gets none', async () => {
  await using service = await startService();
  const { admin } = service;
  const connection = {
    name: 'gpus',
    kind: 'openai-videos',
    dialect: 'vllm',
    base_url: 'tunnel://@gpus',
    models,
  };
  assert.equal((await admin.post('/admin/providers', connection)).status, 201);
  const route = { providers: ['gpus'] };
  assert.equal((await admin.post('/admin/routes/vidgen-2-0-mini', route)).status, 200);
  const engines = [await engineOf(false), await engineOf(false)] as const;
  const boxOf = (name: string, at: 0 | 1, slots: number) =>
    connectBox(service, {
      name,
      label: 'gpus',
      kind: 'openai-videos',
      slots,
      engineUrl: engines[at].engineUrl,
    });
  const boxes = [await boxOf('one', 0, 1), await boxOf('two', 1, 2)];
  const tasks = [];
  for (let at = 0; at < 4; at++) tasks.push(await createTask(service));
  for (const task of tasks.slice(0, 3)) await task.reach('generating');
  const counts = () => engines.map(({ fake }) => fake.started().length);
  assert.deepEqual(counts(), [1, 2], 'three slots, and the fourth waits');
  const list = async () => (await admin.get('/admin/workers')).body.items as Worker[];
  assert.deepEqual(
    (await list()).map(({ name, state, current_tasks, providers }) => [
      ...[name, state, current_tasks, providers[0]],
    ]),
    [
      ['one', 'connected', 1, 'gpus'],
      ['two', 'connected', 2, 'gpus'],
    ],
  );
  const drained = await admin.send('PATCH', '/admin/workers/two', { draining: true });
  assert.equal(drained.body.state, 'draining');
  for (const { fake } of engines) {
    for (const { id } of fake.started()) fake.advance(id, 'completed');
  }
  for (const task of tasks.slice(0, 3)) assert.equal((await task.final()).status, 'completed');
  await tasks[3]!.reach('generating');
  assert.deepEqual(counts(), [2, 2]);
  engines[0].fake.advance(engines[0].fake.started().at(-1)!.id, 'completed');
  assert.equal((await tasks[3]!.final()).status, 'completed');
  assert.equal((await list())[0]!.seconds_per_clip !== null, true);
  for (const { tunnel } of boxes) tunnel.end();
  await service.assertInvariants();
});

test('a worker process uses the connections of an API process', async () => {
  await using service = await startService({ file, environment: { VIDGEN_ROLE: 'api' } });
  await using second = await composeSecond(service, { file });
  await second.worker!.start();
  const { fake, engineUrl } = await engineOf(true);
  const box = await connectBox(service, { name: 'den', kind: 'openai-videos', engineUrl });
  const task = await createTask(service);
  assert.equal((await task.final()).status, 'completed');
  assert.equal(fake.started().length, 1);
  box.tunnel.end();
  await service.assertInvariants();
});
