/** The fake rejects, limits, sends callbacks and forgets as ModelArk does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../receiver.ts';
import { FakeModelArk, fakeModels } from './fake.ts';

const text = { type: 'text', text: 'a boat' };
const image = (role?: string) => ({
  type: 'image_url',
  image_url: { url: 'https://cdn.example.test/a.png' },
  ...(role ? { role } : {}),
});
const valid = { model: fakeModels['vidgen-2-5'], content: [text] };

async function send(
  fake: FakeModelArk,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
) {
  const response = await fetch(`${fake.baseUrl}/contents/generations/tasks${path}`, {
    method,
    headers: { authorization: `Bearer ${fake.apiKey}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

async function create(fake: FakeModelArk, change: object = {}): Promise<string> {
  const { status, json } = await send(fake, 'POST', '', { ...valid, ...change });
  assert.equal(status, 200, JSON.stringify(json));
  return json.id as string;
}

const edit = { omni_reference_task_type: 'edit', duration: -1, ratio: 'adaptive' };
const mixed = { content: [text, image('first_frame'), image('reference_image')] };
const rejections = [
  ['no content', { content: [] }, 'MissingParameter'],
  ['an unknown model', { model: 'x' }, 'InvalidEndpointOrModel.NotFound'],
  ['4k on 2.5', { resolution: '4k' }, 'InvalidParameter'],
  ['31 seconds', { duration: 31 }, 'InvalidParameter'],
  ['an unknown ratio', { ratio: '2:1' }, 'InvalidParameter'],
  ['a deadline under an hour', { execution_expires_after: 60 }, 'InvalidParameter'],
  ['a long identifier', { safety_identifier: 'x'.repeat(65) }, 'InvalidParameter'],
  ['two images without roles', { content: [image(), image()] }, 'InvalidParameter'],
  ['frames mixed with references', mixed, 'InvalidParameter'],
  ['an edit without its source', edit, 'InvalidParameter.TaskTypeConstraint'],
] as const;
for (const [what, change, code] of rejections) {
  test(`rejects ${what} with the code of the upstream`, async () => {
    await using fake = await FakeModelArk.start();
    const { status, json } = await send(fake, 'POST', '', { ...valid, ...change });
    assert.ok(status >= 400 && status < 500);
    assert.equal((json.error as { code: string }).code, code);
    assert.equal(fake.tasks().length, 0);
  });
}

test('has no cancel by POST: the request creates a task', async () => {
  await using fake = await FakeModelArk.start();
  const id = await create(fake);
  assert.equal((await send(fake, 'POST', `/${id}/cancel`, valid)).status, 200);
  assert.equal(fake.tasks().length, 2);
});

test('erases a finished task on DELETE', async () => {
  await using fake = await FakeModelArk.start();
  const id = await create(fake);
  fake.advance(id, 'succeeded');
  assert.equal((await send(fake, 'DELETE', `/${id}`)).status, 200);
  assert.equal((await send(fake, 'GET', `/${id}`)).status, 404);
});

test('rejects DELETE of a running task', async () => {
  await using fake = await FakeModelArk.start();
  const id = await create(fake);
  fake.advance(id, 'running');
  assert.equal((await send(fake, 'DELETE', `/${id}`)).status, 409);
});

test('allows one list per second', async () => {
  await using fake = await FakeModelArk.start();
  const statuses = [await send(fake, 'GET', '?page_size=1'), await send(fake, 'GET', '')];
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [200, 429],
  );
});

test('moves on by itself from queued to running to a video that can be downloaded', async () => {
  await using fake = await FakeModelArk.start({ automatic: true, downloadsMax: 1 });
  const id = await create(fake);
  const seen = [];
  for (let poll = 0; poll < 3; poll++) seen.push((await send(fake, 'GET', `/${id}`)).json);
  assert.deepEqual(
    seen.map((task) => task.status),
    ['queued', 'running', 'succeeded'],
  );
  const { video_url: url } = seen[2]!.content as { video_url: string };
  const [first, second] = [await fetch(url), await fetch(url)];
  const bytes = Buffer.from(await first.arrayBuffer());
  await second.arrayBuffer();
  assert.equal(bytes.subarray(4, 8).toString(), 'ftyp');
  assert.deepEqual([first.status, second.status], [200, 403]);
  assert.equal(fake.results.downloads(url), 1);
});

test('sends a callback for every change, final ones three times more until a 2xx', async () => {
  await using fake = await FakeModelArk.start();
  const received: string[] = [];
  const receiver = await startReceiver();
  receiver.onWebhook(({ body }, response) => {
    received.push(body.status);
    response.writeHead(body.status === 'succeeded' ? 500 : 200).end();
  });
  const id = await create(fake, { callback_url: receiver.url });
  await fake.callbacksSettled();
  for (const status of ['running', 'succeeded']) {
    fake.advance(id, status);
    await fake.callbacksSettled();
  }
  assert.deepEqual(received, ['queued', 'running', ...Array(4).fill('succeeded')]);
  fake.sendCallback(id, { status: 'running' });
  await fake.callbacksSettled();
  assert.equal(received.at(-1), 'running', 'also out of order, when asked to');
  await receiver.close();
});

test('sends no callback outside this machine', async () => {
  await using fake = await FakeModelArk.start();
  await create(fake, { callback_url: 'https://hooks.example.test/x' });
  await fake.callbacksSettled();
  assert.equal(fake.callbacks[0]?.attempts, 0);
});
