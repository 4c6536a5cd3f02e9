/** Models that are declared over the API: sold at once by every process, changed and removed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InstalledModelsResponse } from '@vidgen/contract/admin-models.ts';
import type { DeclaredModel } from '@vidgen/contract/model-declaration.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { useJourney } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { composeSecond } from '../../../proof/kit/second-process.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';

const declaration: DeclaredModel = {
  generationTypes: ['text-to-video'],
  seconds: [4, 6],
  resolutions: { '360p': { perSecond: 2.5, perTask: 7 } },
  aspectRatios: ['16:9'],
  seed: true,
};
const names = ['kite-7', 'kite-8', 'kite-9', 'taken-1'];
const { service } = await useJourney({
  file: {
    models: { 'taken-1': declaration },
    routes: Object.fromEntries(names.map((name) => [name, ['scripted']])),
  },
});
const { admin } = service;
const declare = (name: string, change: object = {}) =>
  admin.post('/admin/models', { name, ...declaration, ...change });
const videoOf = (model: string, input: object = {}) => ({
  model,
  input: { prompt: 'A kite', ...input },
});

test('a declared model is sold at once, at its price and limits, by every process', async () => {
  await using second = await composeSecond(service);
  const declared = await declare('kite-7', { title: 'Kite 7' });
  assert.equal(declared.status, 201, JSON.stringify(declared.body));
  assert.deepEqual([declared.body.source, declared.body.route], ['dashboard', ['scripted']]);
  const { client } = await service.account({ live: 100 });
  const estimate = await client.post('/v1/videos/generations/estimate', videoOf('kite-7'));
  assert.equal(estimate.body.credits, 17);
  const { body } = await client.create(videoOf('kite-7'));
  assert.equal(body.credits, 17);
  assert.equal((await client.final(String(body.taskId))).billing_status, 'charged');
  const wrong = await client.create(videoOf('kite-7', { duration: 5 }));
  assertApiError(wrong, 'invalid_request', /^input\.duration must be one of 4, 6 /);
  await waitUntil(() => second.lifecycle.catalog.find('kite-7')?.title === 'Kite 7');
});

test('a changed price applies to new tasks; null removes a field', async () => {
  await declare('kite-8', { title: 'Kite 8' });
  const change = { title: null, resolutions: { '360p': { perTask: 3 } } };
  const { status, body } = await admin.send('PATCH', '/admin/models/kite-8', change);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal((body.declaration as { title?: string }).title, undefined);
  const { client } = await service.account({ live: 100 });
  assert.equal((await client.create(videoOf('kite-8'))).body.credits, 3);
  const broken = await admin.send('PATCH', '/admin/models/kite-8', { defaultResolution: '4k' });
  assertApiError(broken, 'invalid_request', /defaultResolution must be one of 360p/);
});

test('removing a model under load fails no task, and later creates name the nearest', async () => {
  await declare('kite-9');
  const { client, id } = await service.account({ live: 10_000 });
  const load = Array.from({ length: 8 }, async () => {
    const taskIds: string[] = [];
    for (;;) {
      const created = await client.create(videoOf('kite-9'));
      if (created.status !== 200) {
        assertApiError(created, 'invalid_request', /did you mean kite-/);
        return taskIds;
      }
      taskIds.push(String(created.body.taskId));
    }
  });
  await waitUntil(async () => {
    const tasks = await service.db.query('select 1 from tasks where account_id = $1', [id]);
    return tasks.rows.length > 20;
  });
  assert.equal((await admin.send('DELETE', '/admin/models/kite-9')).status, 204);
  for (const taskId of (await Promise.all(load)).flat()) {
    const { status, credits } = await client.final(taskId);
    assert.deepEqual([status, credits], ['completed', 17]);
  }
  const actions = pluck(await service.auditLog('kite-9'), 'action');
  assert.deepEqual(actions, ['model.remove', 'model.declare']);
});

test('names of the contract and of the file stay theirs, and a wrong field is named', async () => {
  for (const name of ['vidgen-2-0', 'taken-1']) {
    assertApiError(await declare(name), 'invalid_request', new RegExp(`${name} is taken`));
    assertApiError(await admin.send('DELETE', `/admin/models/${name}`), 'not_found');
  }
  assertApiError(await declare('Not A Name'), 'invalid_request', /^name /);
  assertApiError(await declare('kite-0', { seconds: 5 }), 'invalid_request', /seconds.*such as/);
  const { body } = await admin.get('/admin/models');
  const { items } = InstalledModelsResponse.parse(body);
  const sources = new Map(items.map((model) => [model.id, model.source]));
  assert.deepEqual([sources.get('taken-1'), sources.get('vidgen-2-0')], ['file', 'contract']);
});
