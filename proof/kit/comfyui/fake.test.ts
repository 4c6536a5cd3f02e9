/** The fake follows ComfyUI's rules, including the unusual ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeComfyUi } from './fake.ts';
import type { Graph } from './rules.ts';
import { graphs } from './workflows.ts';

const graph: Graph = JSON.parse(
  JSON.stringify(graphs.text).replace(/"\{\{(seed|width|height|frames)\}\}"/g, '17'),
);

function client(fake: FakeComfyUi) {
  const request = async (path: string, body?: unknown) => {
    const response = await fetch(fake.baseUrl + path, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  return { request, queue: (id: string) => request('/prompt', { prompt: graph, prompt_id: id }) };
}

test('queues prompts, runs one at a time, and keeps finished ones in its history', async () => {
  await using fake = await FakeComfyUi.start();
  const { request, queue } = client(fake);
  assert.deepEqual((await queue('a')).body, { prompt_id: 'a', number: 0, node_errors: {} });
  await queue('b');
  fake.run('a');
  assert.throws(() => fake.run('b'));
  const { queue_running, queue_pending } = (await request('/queue')).body;
  assert.deepEqual([queue_running[0][1], queue_pending[0][1]], ['a', 'b']);
  assert.deepEqual((await request('/history/a')).body, {}, 'nothing until it has ended');
  fake.finish('a');
  const { a } = (await request('/api/history/a')).body;
  assert.deepEqual([a.status.status_str, a.outputs['9'].animated], ['success', [true]]);
  const [{ filename, subfolder, type }] = a.outputs['9'].images;
  const query = new URLSearchParams({ filename, subfolder, type });
  const video = await fetch(`${fake.baseUrl}/view?${query}`);
  assert.equal(video.headers.get('content-type'), 'video/mp4');
  assert.equal((await request('/view?filename=../a.mp4')).status, 400);
  assert.equal((await request('/view?filename=none.mp4')).status, 404);
});

test('runs the same id twice: duplicates are not dropped', async () => {
  await using fake = await FakeComfyUi.start();
  const { request, queue } = client(fake);
  await queue('a');
  await queue('a');
  assert.equal((await request('/queue')).body.queue_pending.length, 2);
});

test('returns outputs from its cache only to a caller with a client_id', async () => {
  await using fake = await FakeComfyUi.start();
  const { request } = client(fake);
  const outputsOf = async (id: string, name: object) => {
    await request('/prompt', { prompt: graph, prompt_id: id, ...name });
    fake.finish(id);
    return Object.keys((await request(`/history/${id}`)).body[id].outputs);
  };
  assert.deepEqual(await outputsOf('a', {}), ['9'], 'it ran');
  assert.deepEqual(await outputsOf('b', { client_id: 'me' }), ['9']);
  assert.deepEqual(await outputsOf('c', {}), []);
});

test('rejects an invalid prompt and queues nothing', async () => {
  await using fake = await FakeComfyUi.start();
  const { request } = client(fake);
  const missing = { '1': { class_type: 'LoadImage', inputs: { image: 'none.png' } } };
  const table: readonly (readonly [unknown, string])[] = [
    [{}, 'no_prompt'],
    [{ prompt: { '1': { inputs: {} } } }, 'invalid_prompt'],
    [{ prompt: { '1': { class_type: 'Nonsense', inputs: {} } } }, 'invalid_prompt'],
    [{ prompt: { '1': { class_type: 'VAELoader', inputs: {} } } }, 'prompt_no_outputs'],
    [{ prompt: { ...graph, ...missing } }, 'prompt_outputs_failed_validation'],
    [{ prompt: graphs.text }, 'prompt_outputs_failed_validation'],
  ];
  for (const [body, type] of table) {
    const response = await request('/prompt', body);
    assert.deepEqual([response.status, response.body.error.type], [400, type]);
  }
  assert.deepEqual((await request('/queue')).body.queue_pending, []);
});

test('deletes only waiting prompts, and interrupts the named or the running prompt', async () => {
  await using fake = await FakeComfyUi.start();
  const { request, queue } = client(fake);
  for (const id of ['a', 'b', 'c']) await queue(id);
  fake.run('a');
  assert.equal((await request('/queue', { delete: ['a', 'b'] })).status, 200);
  const ids = async () => {
    const { queue_running, queue_pending } = (await request('/queue')).body;
    return [...queue_running, ...queue_pending].map((item: string[]) => item[1]);
  };
  assert.deepEqual(await ids(), ['a', 'c']);
  await request('/interrupt', { prompt_id: 'c' });
  assert.deepEqual(await ids(), ['a', 'c']);
  await request('/interrupt', {});
  assert.deepEqual(await ids(), ['c']);
  const { status } = (await request('/history/a')).body.a;
  assert.deepEqual([status.status_str, status.messages[1][0]], ['error', 'execution_interrupted']);
});

test('forgets its prompts after a restart and keeps its files', async () => {
  await using fake = await FakeComfyUi.start();
  const { request, queue } = client(fake);
  await queue('a');
  fake.finish('a');
  fake.restart();
  assert.deepEqual((await request('/history/a')).body, {});
  assert.equal((await fetch(`${fake.baseUrl}/view?filename=a.mp4&subfolder=video`)).status, 200);
});

test('renames an uploaded file unless overwriting is requested', async () => {
  await using fake = await FakeComfyUi.start();
  const upload = async (fields: Readonly<Record<string, string>>) => {
    const form = new FormData();
    form.set('image', new File(['x'], 'frame.png', { type: 'image/png' }));
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const response = await fetch(`${fake.baseUrl}/upload/image`, { method: 'POST', body: form });
    return response.ok ? await response.json() : response.status;
  };
  const uploaded = (name: string, subfolder = '') => ({ name, subfolder, type: 'input' });
  assert.deepEqual(await upload({}), uploaded('frame.png'));
  assert.deepEqual(await upload({}), uploaded('frame (1).png'));
  assert.deepEqual(await upload({ overwrite: 'true' }), uploaded('frame.png'));
  assert.deepEqual(await upload({ subfolder: 'vidgen' }), uploaded('frame.png', 'vidgen'));
  assert.equal(await upload({ subfolder: '../../../server' }), 400);
});
