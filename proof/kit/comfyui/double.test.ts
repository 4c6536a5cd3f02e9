/** The double keeps ComfyUI's rules, the odd ones above all, as plain requests see them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ComfyDouble } from './double.ts';
import type { Graph } from './rules.ts';
import { graphs } from './workflows.ts';

const graph: Graph = JSON.parse(
  JSON.stringify(graphs.text).replace(/"\{\{(seed|width|height|frames)\}\}"/g, '17'),
);

function client(double: ComfyDouble) {
  const call = async (path: string, body?: unknown) => {
    const answer = await fetch(double.baseUrl + path, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  return { call, queue: (id: string) => call('/prompt', { prompt: graph, prompt_id: id }) };
}

test('queues, runs one at a time, and remembers in its history', async () => {
  await using double = await ComfyDouble.start();
  const { call, queue } = client(double);
  assert.deepEqual((await queue('a')).body, { prompt_id: 'a', number: 0, node_errors: {} });
  await queue('b');
  double.run('a');
  assert.throws(() => double.run('b'));
  const { queue_running, queue_pending } = (await call('/queue')).body;
  assert.deepEqual([queue_running[0][1], queue_pending[0][1]], ['a', 'b']);
  assert.deepEqual((await call('/history/a')).body, {}, 'nothing until it has ended');
  double.finish('a');
  const { a } = (await call('/api/history/a')).body;
  assert.deepEqual([a.status.status_str, a.outputs['9'].animated], ['success', [true]]);
  const [{ filename, subfolder, type }] = a.outputs['9'].images;
  const place = new URLSearchParams({ filename, subfolder, type });
  const video = await fetch(`${double.baseUrl}/view?${place}`);
  assert.equal(video.headers.get('content-type'), 'video/mp4');
  assert.equal((await call('/view?filename=../a.mp4')).status, 400);
  assert.equal((await call('/view?filename=none.mp4')).status, 404);
});

test('drops no duplicate: the same id runs twice', async () => {
  await using double = await ComfyDouble.start();
  const { call, queue } = client(double);
  await queue('a');
  await queue('a');
  assert.equal((await call('/queue')).body.queue_pending.length, 2);
});

test('tells outputs from its cache only to a caller with a name', async () => {
  await using double = await ComfyDouble.start();
  const { call } = client(double);
  const outputsOf = async (id: string, name: object) => {
    await call('/prompt', { prompt: graph, prompt_id: id, ...name });
    double.finish(id);
    return Object.keys((await call(`/history/${id}`)).body[id].outputs);
  };
  assert.deepEqual(await outputsOf('a', {}), ['9'], 'it ran');
  assert.deepEqual(await outputsOf('b', { client_id: 'me' }), ['9']);
  assert.deepEqual(await outputsOf('c', {}), []);
});

test('refuses what does not validate, and queues nothing', async () => {
  await using double = await ComfyDouble.start();
  const { call } = client(double);
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
    const answer = await call('/prompt', body);
    assert.deepEqual([answer.status, answer.body.error.type], [400, type]);
  }
  assert.deepEqual((await call('/queue')).body.queue_pending, []);
});

test('deletes only what waits, and interrupts only what runs, or whatever runs', async () => {
  await using double = await ComfyDouble.start();
  const { call, queue } = client(double);
  for (const id of ['a', 'b', 'c']) await queue(id);
  double.run('a');
  assert.equal((await call('/queue', { delete: ['a', 'b'] })).status, 200);
  const ids = async () => {
    const { queue_running, queue_pending } = (await call('/queue')).body;
    return [...queue_running, ...queue_pending].map((item: string[]) => item[1]);
  };
  assert.deepEqual(await ids(), ['a', 'c']);
  await call('/interrupt', { prompt_id: 'c' });
  assert.deepEqual(await ids(), ['a', 'c']);
  await call('/interrupt', {});
  assert.deepEqual(await ids(), ['c']);
  const { status } = (await call('/history/a')).body.a;
  assert.deepEqual([status.status_str, status.messages[1][0]], ['error', 'execution_interrupted']);
});

test('forgets its prompts when it is started again, and keeps its files', async () => {
  await using double = await ComfyDouble.start();
  const { call, queue } = client(double);
  await queue('a');
  double.finish('a');
  double.restart();
  assert.deepEqual((await call('/history/a')).body, {});
  assert.equal((await fetch(`${double.baseUrl}/view?filename=a.mp4&subfolder=video`)).status, 200);
});

test('gives an uploaded file another name, unless told to overwrite', async () => {
  await using double = await ComfyDouble.start();
  const upload = async (fields: Readonly<Record<string, string>>) => {
    const form = new FormData();
    form.set('image', new File(['x'], 'frame.png', { type: 'image/png' }));
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const answer = await fetch(`${double.baseUrl}/upload/image`, { method: 'POST', body: form });
    return answer.ok ? await answer.json() : answer.status;
  };
  const named = (name: string, subfolder = '') => ({ name, subfolder, type: 'input' });
  assert.deepEqual(await upload({}), named('frame.png'));
  assert.deepEqual(await upload({}), named('frame (1).png'));
  assert.deepEqual(await upload({ overwrite: 'true' }), named('frame.png'));
  assert.deepEqual(await upload({ subfolder: 'vidgen' }), named('frame.png', 'vidgen'));
  assert.equal(await upload({ subfolder: '../../../server' }), 400);
});
