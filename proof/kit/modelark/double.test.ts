/** The double refuses, limits, calls back and forgets as the real upstream is known to. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { closeServer } from '../result-server.ts';
import { doubleModels, ModelArkDouble } from './double.ts';

const text = { type: 'text', text: 'a boat' };
const image = (role?: string) => ({
  type: 'image_url',
  image_url: { url: 'https://cdn.example.test/a.png' },
  ...(role ? { role } : {}),
});
const valid = { model: doubleModels['vidgen-2-5'], content: [text] };

async function ask(
  double: ModelArkDouble,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
) {
  const answer = await fetch(`${double.baseUrl}/contents/generations/tasks${path}`, {
    method,
    headers: { authorization: `Bearer ${double.apiKey}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

async function create(double: ModelArkDouble, change: object = {}): Promise<string> {
  const { status, json } = await ask(double, 'POST', '', { ...valid, ...change });
  assert.equal(status, 200, JSON.stringify(json));
  return json.id as string;
}

const refusals = [
  { why: 'no content', change: { content: [] }, code: 'MissingParameter' },
  { why: 'an unknown model', change: { model: 'x' }, code: 'InvalidEndpointOrModel.NotFound' },
  { why: '4k on 2.5', change: { resolution: '4k' }, code: 'InvalidParameter' },
  { why: '31 seconds', change: { duration: 31 }, code: 'InvalidParameter' },
  { why: 'a strange ratio', change: { ratio: '2:1' }, code: 'InvalidParameter' },
  {
    why: 'a deadline under an hour',
    change: { execution_expires_after: 60 },
    code: 'InvalidParameter',
  },
  {
    why: 'a long identifier',
    change: { safety_identifier: 'x'.repeat(65) },
    code: 'InvalidParameter',
  },
  {
    why: 'two images without roles',
    change: { content: [image(), image()] },
    code: 'InvalidParameter',
  },
  {
    why: 'frames mixed with references',
    change: { content: [text, image('first_frame'), image('reference_image')] },
    code: 'InvalidParameter',
  },
  {
    why: 'an edit without its source',
    change: { omni_reference_task_type: 'edit', duration: -1, ratio: 'adaptive' },
    code: 'InvalidParameter.TaskTypeConstraint',
  },
];
for (const { why, change, code } of refusals) {
  test(`refuses ${why} in the upstream's words`, async () => {
    await using double = await ModelArkDouble.start();
    const { status, json } = await ask(double, 'POST', '', { ...valid, ...change });
    assert.ok(status >= 400 && status < 500);
    assert.equal((json.error as { code: string }).code, code);
    assert.equal(double.tasks().length, 0);
  });
}

test('has no way to cancel by POST: it would create a task', async () => {
  await using double = await ModelArkDouble.start();
  const id = await create(double);
  assert.equal((await ask(double, 'POST', `/${id}/cancel`, valid)).status, 200);
  assert.equal(double.tasks().length, 2);
});

test('erases a finished task that is deleted', async () => {
  await using double = await ModelArkDouble.start();
  const id = await create(double);
  double.advance(id, 'succeeded');
  assert.equal((await ask(double, 'DELETE', `/${id}`)).status, 200);
  assert.equal((await ask(double, 'GET', `/${id}`)).status, 404);
});

test('refuses to delete what runs', async () => {
  await using double = await ModelArkDouble.start();
  const id = await create(double);
  double.advance(id, 'running');
  assert.equal((await ask(double, 'DELETE', `/${id}`)).status, 409);
});

test('allows one list a second', async () => {
  await using double = await ModelArkDouble.start();
  const statuses = [await ask(double, 'GET', '?page_size=1'), await ask(double, 'GET', '')];
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [200, 429],
  );
});

test('moves by itself from queued over running to a video that can be downloaded', async () => {
  await using double = await ModelArkDouble.start({ automatic: true, downloadsMax: 1 });
  const id = await create(double);
  const seen = [];
  for (let look = 0; look < 3; look++) seen.push((await ask(double, 'GET', `/${id}`)).json);
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
  assert.equal(double.results.downloads(url), 1);
});

test('calls back on every change, final ones three times more until a 2xx', async () => {
  await using double = await ModelArkDouble.start();
  const heard: string[] = [];
  const receiver = createServer(async (incoming, response) => {
    const body = JSON.parse(Buffer.concat(await incoming.toArray()).toString());
    heard.push(body.status);
    response.writeHead(body.status === 'succeeded' ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const id = await create(double, { callback_url: `http://127.0.0.1:${port}/hook` });
  await double.callbacksSettled();
  for (const status of ['running', 'succeeded']) {
    double.advance(id, status);
    await double.callbacksSettled();
  }
  assert.deepEqual(heard, ['queued', 'running', ...Array(4).fill('succeeded')]);
  double.call(id, { status: 'running' });
  await double.callbacksSettled();
  assert.equal(heard.at(-1), 'running', 'also out of order, when asked to');
  await closeServer(receiver);
});

test('never calls an address outside this machine', async () => {
  await using double = await ModelArkDouble.start();
  await create(double, { callback_url: 'https://hooks.example.test/x' });
  await double.callbacksSettled();
  assert.equal(double.callbacks[0]?.attempts, 0);
});
