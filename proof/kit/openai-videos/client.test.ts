/** OpenAI's own client works with the fake. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { resultFramePath, resultVideoPath } from '../result-server.ts';
import { webhookSecret } from '../signed-webhook.ts';
import { FakeOpenAiVideos, servedModel } from './fake.ts';
import { signEvent } from './webhooks.ts';

const clientOf = (fake: FakeOpenAiVideos, apiKey = fake.apiKey ?? 'none'): OpenAI =>
  new OpenAI({ baseURL: fake.baseUrl, apiKey, maxRetries: 0, webhookSecret });

const request = { prompt: 'A paper boat', seconds: '4', size: '1280x720' } as const;

test('creates, polls, downloads and deletes a video', async () => {
  await using fake = await FakeOpenAiVideos.start({ dialect: 'openai', automatic: true });
  const { videos } = clientOf(fake);
  const created = await videos.create({ ...request, model: 'sora-2' });
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

test('uploads an image to every engine', async () => {
  for (const dialect of ['openai', 'vllm', 'sglang'] as const) {
    await using fake = await FakeOpenAiVideos.start({ dialect });
    const image = await readFile(resultFramePath);
    const input_reference = await toFile(image, 'frame.jpg', { type: 'image/jpeg' });
    const model = dialect === 'openai' ? 'sora-2' : servedModel;
    await clientOf(fake).videos.create({ ...request, model, input_reference });
    const [file] = fake.videos()[0]!.create.files;
    assert.deepEqual([file?.type, file?.bytes.equals(image)], ['image/jpeg', true]);
  }
});

test('receives rejections as its own error classes', async () => {
  await using fake = await FakeOpenAiVideos.start({ dialect: 'openai' });
  const client = clientOf(fake);
  const assertRejected = async (change: object, expected: object) => {
    const create = client.videos.create({ ...request, ...change } as typeof request);
    await assert.rejects(async () => await create, expected);
  };
  await assertRejected({ seconds: '5' }, { status: 400, param: 'seconds', code: 'invalid_value' });
  await assertRejected({ size: '999x999' }, { status: 400, param: 'size' });
  await assertRejected({ seed: 7 }, { status: 400, code: 'unknown_parameter' });
  await assertRejected({ model: 'sora-9' }, { status: 400, code: 'model_not_found' });
  const wrongKeyClient = clientOf(fake, 'sk-wrong').videos;
  await assert.rejects(
    async () => await wrongKeyClient.create(request),
    OpenAI.AuthenticationError,
  );
  const { id } = await client.videos.create(request);
  await assert.rejects(async () => await client.videos.delete(id), OpenAI.BadRequestError);
  assert.equal(fake.videos().length, 1, 'nothing else was created');
});

test('receives the rejections of each engine in its own shape', async () => {
  const expected = {
    vllm: [
      { status: 404, type: 'Not Found', code: 404 },
      { status: 400, type: 'Bad Request', code: 400 },
      { status: 400, type: 'Bad Request', code: 400 },
    ],
    // FastAPI's `detail` is no error object to the client.
    sglang: [{ status: 404 }, { status: 422 }, { status: 422 }],
  } as const;
  for (const dialect of ['vllm', 'sglang'] as const) {
    await using fake = await FakeOpenAiVideos.start({ dialect });
    const { videos } = clientOf(fake);
    const [notFound, badSeed, badLimit] = expected[dialect];
    const input_reference = await toFile(await readFile(resultFramePath), 'frame.jpg');
    const noInteger = { ...request, input_reference, model: servedModel, seed: 'any' } as const;
    await assert.rejects(async () => await videos.retrieve('video_0'), notFound);
    await assert.rejects(async () => await videos.create(noInteger), badSeed);
    await assert.rejects(async () => await videos.list({ limit: 101 }), badLimit);
    assert.deepEqual(fake.videos(), [], 'nothing was created');
  }
});

test('accepts the webhooks that the fake signs, and no forged ones', async () => {
  await using fake = await FakeOpenAiVideos.start({ dialect: 'openai' });
  const { webhooks } = clientOf(fake);
  const { headers, body } = signEvent({ id: 'video_1', status: 'completed' });
  const event = await webhooks.unwrap(body, headers);
  assert.equal(event.type, 'video.completed');
  const forged = body.replace('video_1', 'video_2');
  await assert.rejects(webhooks.unwrap(forged, headers), OpenAI.InvalidWebhookSignatureError);
});
