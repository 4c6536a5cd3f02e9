/** The double is understood by a client that is not ours: OpenAI's own. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { resultFramePath, resultVideoPath } from '../result-server.ts';
import { servedModel, VideosDouble } from './double.ts';
import { eventFor, webhookSecret } from './webhooks.ts';

const clientOf = (double: VideosDouble, apiKey = double.apiKey ?? 'none'): OpenAI =>
  new OpenAI({ baseURL: double.baseUrl, apiKey, maxRetries: 0, webhookSecret });

const order = { prompt: 'A paper boat', seconds: '4', size: '1280x720' } as const;

test('creates, watches, downloads and deletes a video', async () => {
  await using double = await VideosDouble.start({ dialect: 'openai', automatic: true });
  const { videos } = clientOf(double);
  const created = await videos.create({ ...order, model: 'sora-2' });
  assert.deepEqual([created.status, created.seconds, created.size], ['queued', '4', '1280x720']);
  const seen: string[] = [];
  for (let video = created; video.status !== 'completed'; ) {
    video = await videos.retrieve(created.id);
    seen.push(`${video.status} ${video.progress}`);
  }
  assert.deepEqual(seen, ['queued 0', 'in_progress 42', 'completed 100']);
  const content = await videos.downloadContent(created.id);
  assert.equal(content.headers.get('content-type'), 'video/mp4');
  assert.deepEqual(Buffer.from(await content.arrayBuffer()), await readFile(resultVideoPath));
  assert.equal((await videos.delete(created.id)).deleted, true);
  await assert.rejects(async () => await videos.retrieve(created.id), OpenAI.NotFoundError);
});

test('uploads a picture as every engine takes it', async () => {
  for (const dialect of ['openai', 'vllm', 'sglang'] as const) {
    await using double = await VideosDouble.start({ dialect });
    const picture = await readFile(resultFramePath);
    const input_reference = await toFile(picture, 'frame.jpg', { type: 'image/jpeg' });
    const model = dialect === 'openai' ? 'sora-2' : servedModel;
    await clientOf(double).videos.create({ ...order, model, input_reference });
    const { file } = double.videos()[0]!.create;
    assert.deepEqual([file?.type, file?.bytes.equals(picture)], ['image/jpeg', true]);
  }
});

test('lists everything, page by page', async () => {
  await using double = await VideosDouble.start({ dialect: 'openai' });
  const client = clientOf(double);
  const ids: string[] = [];
  for (let count = 0; count < 7; count++) ids.push((await client.videos.create(order)).id);
  const listed: string[] = [];
  for await (const { id } of client.videos.list({ limit: 3 })) listed.push(id);
  assert.deepEqual(listed.toSorted(), ids.toSorted());
});

test('hears of refusals in the classes it knows', async () => {
  await using double = await VideosDouble.start({ dialect: 'openai' });
  const client = clientOf(double);
  const refused = async (change: object, expected: object) => {
    const create = client.videos.create({ ...order, ...change } as typeof order);
    await assert.rejects(async () => await create, expected);
  };
  await refused({ seconds: '5' }, { status: 400, param: 'seconds', code: 'invalid_value' });
  await refused({ size: '999x999' }, { status: 400, param: 'size' });
  await refused({ seed: 7 }, { status: 400, code: 'unknown_parameter' });
  await refused({ model: 'sora-9' }, { status: 400, code: 'model_not_found' });
  const stranger = clientOf(double, 'sk-wrong').videos;
  await assert.rejects(async () => await stranger.create(order), OpenAI.AuthenticationError);
  const { id } = await client.videos.create(order);
  await assert.rejects(async () => await client.videos.delete(id), OpenAI.BadRequestError);
  assert.equal(double.videos().length, 1, 'nothing else was created');
});

test('meets a failed video of vLLM-Omni as an error: its body must be read', async () => {
  await using double = await VideosDouble.start({ dialect: 'vllm' });
  const { videos } = clientOf(double);
  const { id } = await videos.create({ ...order, model: servedModel });
  double.advance(id, 'failed');
  await assert.rejects(async () => await videos.retrieve(id), OpenAI.InternalServerError);
});

test('believes the calls that the double signs', async () => {
  await using double = await VideosDouble.start({ dialect: 'openai' });
  const { webhooks } = clientOf(double);
  const { headers, body } = eventFor({ id: 'video_1', status: 'completed' });
  const event = await webhooks.unwrap(body, headers);
  assert.equal(event.type, 'video.completed');
  const forged = body.replace('video_1', 'video_2');
  await assert.rejects(webhooks.unwrap(forged, headers), OpenAI.InvalidWebhookSignatureError);
});
