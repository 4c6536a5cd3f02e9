/**
 * Clients of ModelArk with another base URL and key: the AI SDK's ByteDance provider, and requests
 * as the vendor's SDK sends them. `vidgen-upstream.test.ts` has a service behind another.
 * Thorough: waits for the polls of two clients; the format has tests of its own.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createByteDance } from '@ai-sdk/bytedance';
import { APICallError, experimental_generateVideo as generateVideo } from 'ai';
import { balanceOf, useJourney } from '../kit/journey.ts';
import { fakeModels } from '../kit/modelark/fake.ts';
import { resultVideoPath } from '../kit/result-server.ts';
import type { Script } from '../kit/scripted-provider.ts';
import { unmarkedVideo } from '../kit/unmarked.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

const alias = fakeModels['vidgen-2-0'];
/** The script of a task by the first word of its prompt. */
const scripts: Readonly<Record<string, Script>> = {
  Refused: { status: ['rejected'] },
  Endless: { status: ['pending'], cancel: ['running'] },
  Stoppable: { status: ['pending'], cancel: ['stopped'] },
};
const journey = await useJourney({
  script: ({ generation }) => scripts[generation.prompt.split(' ')[0]!] ?? {},
  file: { aliases: { [alias]: 'vidgen-2-0' } },
});
const { service, receiver } = journey;

const path = '/api/v3/contents/generations/tasks';
const prompt = 'A paper boat on a lake';
const contentOf = (text: string) => [{ type: 'text', text }];
const poll = { pollIntervalMs: 1, pollTimeoutMs: 60_000 };
/** The SDK does not download from private networks by itself. */
const download = async ({ url }: { url: URL }) => {
  const response = await fetch(url);
  const mediaType = response.headers.get('content-type') ?? undefined;
  return { data: new Uint8Array(await response.arrayBuffer()), mediaType };
};

async function newClient({ live = 100 } = {}) {
  const account = await service.account({ live });
  const posts: string[] = [];
  const provider = createByteDance({
    baseURL: `${service.url}/api/v3`,
    apiKey: account.key,
    fetch: async (url, init) => {
      if (init?.method === 'POST') posts.push(String(init.body));
      return await fetch(url, init);
    },
  });
  const available = async () => (await balanceOf(service, account.id)).live.available;
  return { account, client: account.client, provider, posts, available };
}

type Generate = Parameters<typeof generateVideo>[0];

async function generate(
  { provider }: { provider: ReturnType<typeof createByteDance> },
  { bytedance, ...change }: Partial<Generate> & { bytedance?: object } = {},
) {
  return await generateVideo({
    model: provider.video('vidgen-2-0'),
    prompt,
    download,
    providerOptions: { bytedance: { ...poll, ...bytedance } },
    ...change,
  } as Generate);
}

test('the AI SDK creates a video, follows it, and downloads a file that plays', async () => {
  const client = await newClient();
  const { video, providerMetadata } = await generate(client, {
    aspectRatio: '16:9',
    resolution: '1280x720',
    duration: 5,
    model: client.provider.video(alias),
    bytedance: { returnLastFrame: true, watermark: true },
  });
  const bytes = Buffer.from(video.uint8Array);
  assert.deepEqual(unmarkedVideo(bytes), await readFile(resultVideoPath));
  assert.equal(video.mediaType, 'video/mp4');
  const { taskId } = providerMetadata.bytedance as { taskId: string };
  const { body: task } = await client.client.get(`${path}/${taskId}`);
  assert.partialDeepStrictEqual(task, {
    id: taskId,
    model: alias,
    status: 'succeeded',
    error: null,
    resolution: '720p',
    ratio: '16:9',
    duration: 5,
    service_tier: 'default',
  });
  const credits = 100 - (await client.available());
  assert.deepEqual(task.usage, { completion_tokens: credits, total_tokens: credits });
  assert.ok((task.content as { last_frame_url?: string }).last_frame_url);
  const own = await client.client.task(taskId);
  assert.deepEqual([own.status, own.model, own.credits], ['completed', 'vidgen-2-0', credits]);
});

test('the AI SDK sends images as bytes, which reach the provider as files', async () => {
  const client = await newClient();
  const image = await readFile(new URL('../../examples/picture.jpg', import.meta.url));
  const { video } = await generate(client, { prompt: { image, text: prompt } });
  const bytes = Buffer.from(video.uint8Array);
  assert.deepEqual(unmarkedVideo(bytes), await readFile(resultVideoPath));
  assert.match(client.posts[0]!, /"url":"data:image\/jpeg;base64,/);
  const { generation } = journey.provider.calls.findLast(({ kind }) => kind === 'start')!.start!;
  assert.equal(generation.generationType, 'image-to-video');
  assert.deepEqual(Buffer.from(await (await fetch(generation.imageUrls[0]!)).arrayBuffer()), image);
});

test('the AI SDK reports failed tasks, wrong parameters and keys, a 402', async () => {
  const client = await newClient();
  const refused = generate(client, { prompt: 'Refused by the provider' });
  await assert.rejects(refused, /Video generation failed/);
  assert.equal(await client.available(), 100, 'it was refunded');
  const apiError = (status: number, code: string, message: RegExp) => (error: unknown) => {
    assert(APICallError.isInstance(error), String(error));
    assert.equal(error.statusCode, status);
    const body = JSON.parse(error.responseBody!);
    assert.deepEqual(Object.keys(body.error), ['code', 'message', 'type', 'param', 'request_id']);
    assert.equal(body.error.code, code);
    assert.match(error.message, message);
    assert.equal(error.isRetryable, false);
    return true;
  };
  await assert.rejects(
    generate(client, { duration: 45 }),
    apiError(400, 'InvalidParameter', /^duration must be 4 to 15 for vidgen-2-0 \(got 45\)/),
  );
  await assert.rejects(
    generate(client, { duration: 30 }),
    apiError(400, 'InvalidParameter', /^duration must be 4 to 15 for vidgen-2-0 \(got 30\)/),
  );
  await assert.rejects(
    generate(client, { bytedance: { cameraFixed: true } }),
    apiError(400, 'InvalidParameter.UnsupportedParameter', /^camera_fixed/),
  );
  const stranger = createByteDance({ baseURL: `${service.url}/api/v3`, apiKey: 'vg_live_wrong' });
  await assert.rejects(
    generate({ provider: stranger }),
    apiError(401, 'AuthenticationError', /API key/),
  );
  const poor = await newClient({ live: 1 });
  await assert.rejects(generate(poor), apiError(402, 'AccountOverdueError', /credits/));
  assert.deepEqual([poor.posts.length, await poor.available()], [1, 1]);
});

test('DELETE cancels a queued or stoppable task and refunds it', async () => {
  const { client, available } = await newClient();
  const content = contentOf('Stoppable boat');
  const { body } = await client.post(path, { model: 'vidgen-2-0', content });
  await journey.provider.waitForCall('start');
  const deleted = await client.send('DELETE', `${path}/${body.id}`);
  assert.deepEqual([deleted.status, deleted.body], [200, {}]);
  const { body: task } = await client.get(`${path}/${body.id}`);
  assert.equal(task.status, 'cancelled');
  assert.equal(await available(), 100);
  const again = await client.send('DELETE', `${path}/${body.id}`);
  assert.deepEqual([again.status, again.body], [200, {}]);
  assert.equal((await client.get(`${path}/${body.id}`)).status, 404);
  assert.deepEqual((await client.get(path)).body.total, 0);
});

test('DELETE of a task that cannot be stopped is a 409 that is not to be repeated', async () => {
  const { client } = await newClient();
  const content = contentOf('Endless boat');
  const { body } = await client.post(path, { model: 'vidgen-2-0', content });
  for (let status = 'queued'; status !== 'running'; ) {
    status = String((await client.get(`${path}/${body.id}`)).body.status);
  }
  const deleted = await client.send('DELETE', `${path}/${body.id}`);
  assert.equal(deleted.status, 409);
  assert.equal(deleted.headers.get('x-should-retry'), 'false');
  assert.partialDeepStrictEqual(deleted.body, {
    error: { code: 'InvalidAction.RunningTaskDeletion', type: 'BadRequest' },
  });
  const unknown = await client.send('DELETE', `${path}/task_00000000000000000000000000`);
  assert.deepEqual(
    [unknown.status, (unknown.body.error as { code: string }).code],
    [404, 'NotFound.id'],
  );
});

test('lists pages of the account’s tasks by status, model and id', async () => {
  const { client } = await newClient();
  const ids: string[] = [];
  for (const model of ['vidgen-2-0', alias, 'vidgen-2-0-mini']) {
    const { body } = await client.post(path, { model, content: contentOf(prompt) });
    ids.push(String(body.id));
    await client.final(String(body.id));
  }
  const list = async (query: string) => {
    const { status, body } = await client.get(`${path}?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return { total: body.total, ids: (body.items as { id: string }[]).map(({ id }) => id) };
  };
  const newest = ids.toReversed();
  assert.deepEqual(await list(''), { total: 3, ids: newest });
  assert.deepEqual(await list('page_num=2&page_size=2'), { total: 3, ids: [ids[0]] });
  assert.deepEqual(await list('filter.status=running'), { total: 0, ids: [] });
  assert.equal((await list('filter.status=running&filter.status=succeeded')).total, 3);
  assert.deepEqual(await list(`filter.model=${alias}`), { total: 2, ids: newest.slice(1) });
  const two = `filter.task_ids=${ids[0]}&filter.task_ids=${ids[2]}&filter.task_ids=other`;
  assert.deepEqual(await list(two), { total: 2, ids: [ids[2], ids[0]] });
  assert.equal((await client.get(`${path}?page_size=0`)).status, 400);
  const { client: stranger } = await newClient();
  assert.deepEqual((await stranger.get(path)).body, { total: 0, items: [] });
  assert.equal((await stranger.get(`${path}/${ids[0]}`)).status, 404);
});

test('the callback has the body of a read, on every change', async () => {
  const { client } = await newClient();
  const { body } = await client.post(path, {
    model: alias,
    content: contentOf(prompt),
    callback_url: receiver.url,
    safety_identifier: 'user-1',
  });
  await client.final(String(body.id));
  const { body: read } = await client.get(`${path}/${body.id}`);
  let calls = receiver.webhooks;
  for (let count = 1; calls.at(-1)?.body.status !== 'succeeded'; count++) {
    calls = await receiver.waitForWebhooks(count);
  }
  assert.deepEqual(calls.find(({ body: call }) => call.status === 'succeeded')!.body, read);
  for (const { body: call } of calls) {
    assert.partialDeepStrictEqual(call, { id: body.id, model: alias, safety_identifier: 'user-1' });
    assert.match(call.status, /^(queued|running|succeeded)$/);
  }
  const endless = { model: alias, content: contentOf('Endless'), callback_url: receiver.url };
  const { body: pending } = await client.post(path, endless);
  const isRunning = ({ body: call }: (typeof calls)[number]) =>
    call.id === pending.id && call.status === 'running';
  for (let count = 1; !calls.some(isRunning); count++) {
    calls = await receiver.waitForWebhooks(count);
  }
});
