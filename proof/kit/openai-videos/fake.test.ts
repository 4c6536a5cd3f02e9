/** The fake responds, rejects and forgets as each kind of server does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DialectName } from '../../../server/providers/openai-videos/dialect.ts';
import { FakeOpenAiVideos, servedModel } from './fake.ts';

type Json = Record<string, unknown>;

async function send(
  fake: FakeOpenAiVideos,
  method: string,
  path: string,
  body?: FormData | object,
) {
  const isForm = body instanceof FormData;
  const response = await fetch(`${fake.baseUrl}/videos${path}`, {
    method,
    headers: {
      authorization: `Bearer ${fake.apiKey}`,
      ...(body && !isForm ? { 'content-type': 'application/json' } : {}),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, json: (isJson ? JSON.parse(text) : {}) as Json };
}

function formOf(
  fields: Readonly<Record<string, string>>,
  file?: Uint8Array<ArrayBuffer>,
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file) form.append('input_reference', new Blob([file], { type: 'image/png' }), 'f.png');
  return form;
}

async function create(fake: FakeOpenAiVideos): Promise<string> {
  const { status, json } = await send(fake, 'POST', '', formOf({ prompt: 'x', seconds: '4' }));
  assert.equal(status, 200, JSON.stringify(json));
  return json.id as string;
}

const rejections: readonly (readonly [
  why: string,
  dialect: DialectName,
  body: FormData | object,
  status: number,
])[] = [
  ['JSON', 'vllm', { prompt: 'x' }, 422],
  ['no prompt', 'vllm', formOf({ size: '832x480' }), 422],
  ['a size as text', 'vllm', formOf({ prompt: 'x', size: 'large' }), 422],
  ['no seconds', 'vllm', formOf({ prompt: 'x', seconds: '0' }), 422],
  ['another model', 'vllm', formOf({ prompt: 'x', model: 'sora-2' }), 400],
  ['a broken image', 'vllm', formOf({ prompt: 'x' }, new Uint8Array([1, 2, 3])), 400],
  ['no prompt', 'sglang', formOf({ size: '832x480' }), 400],
  ['no prompt in JSON', 'sglang', {}, 400],
  ['seconds as text in JSON', 'sglang', { prompt: 'x', seconds: 'five' }, 400],
  ['seconds as text', 'sglang', formOf({ prompt: 'x', seconds: 'five' }), 422],
  ['a broken image', 'sglang', formOf({ prompt: 'x' }, new Uint8Array([1, 2, 3])), 400],
  ['no prompt', 'openai', formOf({ seconds: '4' }), 400],
  ['an unknown field', 'openai', formOf({ prompt: 'x', fps: '24' }), 400],
];

for (const [why, dialect, body, status] of rejections) {
  test(`${dialect} rejects ${why}`, async () => {
    await using fake = await FakeOpenAiVideos.start({ dialect });
    const response = await send(fake, 'POST', '', body);
    assert.equal(response.status, status, JSON.stringify(response.json));
    const shape = dialect === 'openai' ? 'error' : 'detail';
    assert.ok(shape in response.json, JSON.stringify(response.json));
    assert.equal(fake.videos().length, 0);
  });
}

test('sglang accepts JSON and forms, returns any model, and may require an image', async () => {
  await using fake = await FakeOpenAiVideos.start({ dialect: 'sglang' });
  const plain = await send(fake, 'POST', '', { prompt: 'x', seconds: 5, model: 'any#mark' });
  assert.deepEqual(
    [plain.json.model, plain.json.seconds, plain.json.status],
    ['any#mark', '5', 'queued'],
  );
  const form = await send(fake, 'POST', '', formOf({ prompt: 'x', seconds: '5' }));
  assert.deepEqual([form.status, form.json.model], [200, servedModel]);
  await using imageRequired = await FakeOpenAiVideos.start({ dialect: 'sglang', needsImage: true });
  const { status, json } = await send(imageRequired, 'POST', '', { prompt: 'x' });
  assert.equal(status, 400);
  assert.match(String(json.detail), /required for image-to-video/);
});

test('vllm returns a failed video with the status of its error', async () => {
  await using fake = await FakeOpenAiVideos.start({ dialect: 'vllm' });
  const id = await create(fake);
  fake.advance(id, 'failed', { error: { code: 422, message: 'bad frames' } });
  const { status, json } = await send(fake, 'GET', `/${id}`);
  assert.deepEqual([status, json.id, json.status], [422, id, 'failed']);
  assert.equal((await send(fake, 'GET', `/${id}/content`)).status, 422);
});

test('DELETE differs in each dialect', async () => {
  const cancelOutcome = async (dialect: DialectName, status?: string) => {
    await using fake = await FakeOpenAiVideos.start({ dialect });
    const id = await create(fake);
    if (status) fake.advance(id, status);
    const response = await send(fake, 'DELETE', `/${id}`);
    const what = response.json.deleted ?? response.json.status;
    return [response.status, what, fake.videos().length];
  };
  assert.deepEqual(await cancelOutcome('openai'), [400, undefined, 1], 'no cancel');
  assert.deepEqual(await cancelOutcome('openai', 'completed'), [200, true, 0]);
  assert.deepEqual(await cancelOutcome('vllm', 'in_progress'), [200, true, 0], 'a cancel');
  assert.deepEqual(await cancelOutcome('sglang'), [200, 'deleted', 0], 'forgotten, and still made');
});

test('vllm returns 409 while a cancelled video still runs', async () => {
  await using fake = await FakeOpenAiVideos.start({ dialect: 'vllm', slowCancels: 1 });
  const id = await create(fake);
  assert.equal((await send(fake, 'DELETE', `/${id}`)).status, 409);
  assert.equal((await send(fake, 'DELETE', `/${id}`)).status, 200);
});

test('serves a completed video, and names the cloud URL where it was uploaded', async () => {
  await using fake = await FakeOpenAiVideos.start({ dialect: 'vllm' });
  const id = await create(fake);
  assert.equal((await send(fake, 'GET', `/${id}/content`)).status, 404);
  fake.advance(id, 'completed');
  assert.equal((await send(fake, 'GET', `/${id}/content`)).status, 200);
  const putAt = (name: string) => `https://cloud.example.test/${name}.mp4`;
  await using cloudy = await FakeOpenAiVideos.start({ dialect: 'sglang', putAt });
  const other = await create(cloudy);
  cloudy.advance(other, 'completed');
  const { status, json } = await send(cloudy, 'GET', `/${other}/content`);
  assert.equal(status, 400);
  assert.ok(String(json.detail).includes(putAt(other)));
  assert.equal((await send(cloudy, 'GET', `/${other}`)).json.url, putAt(other));
});

test('forgets all videos after a restart, in every dialect', async () => {
  for (const dialect of ['vllm', 'sglang', 'openai'] as const) {
    await using fake = await FakeOpenAiVideos.start({ dialect });
    const id = await create(fake);
    fake.restart();
    const { status, json } = await send(fake, 'GET', `/${id}`);
    assert.equal(status, 404);
    assert.match(JSON.stringify(json), /not found/i);
    assert.deepEqual((await send(fake, 'GET', '')).json.data, []);
  }
});

test('lists newest first by page, and everything without a limit', async () => {
  await using fake = await FakeOpenAiVideos.start({ dialect: 'sglang' });
  for (let count = 0; count < 120; count++) {
    const fields = { prompt: 'x' };
    fake.add({ isForm: false, fields, file: null }, { createdSeconds: 1_000 + count });
  }
  const list = async (query: string) =>
    ((await send(fake, 'GET', query)).json.data as { created_at: number }[]).map(
      ({ created_at }) => created_at,
    );
  assert.deepEqual(await list('?limit=2'), [1_119, 1_118]);
  assert.deepEqual(await list('?limit=2&order=asc'), [1_000, 1_001]);
  assert.equal((await list('')).length, 120);
});
