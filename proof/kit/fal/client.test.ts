/** fal's own client works with the fake. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ApiError, createFalClient, type FalClient, ValidationError } from '@fal-ai/client';
import { resultVideoPath, startResultServer } from '../result-server.ts';
import { FakeFal, type FakeFalOptions } from './fake.ts';
import { errorResponses } from './rules.ts';

const endpoint = 'bytedance/seedance-2.0/text-to-video';
const input = { prompt: 'A paper boat', duration: '5', resolution: '720p' };

/** The client only knows fal's host; its requests are redirected to the fake. */
async function withClient(
  run: (client: FalClient, fake: FakeFal) => Promise<void>,
  options: FakeFalOptions & { readonly credentials?: string } = {},
): Promise<void> {
  await using fake = await FakeFal.start(options);
  const client = createFalClient({
    credentials: options.credentials ?? fake.apiKey,
    requestMiddleware: async (request) => {
      assert.match(request.url, /^https:\/\/queue\.fal\.run\//);
      return { ...request, url: request.url.replace('https://queue.fal.run', fake.baseUrl) };
    },
  });
  await run(client, fake);
}

const rejectedWith =
  (status: number, check: (error: ApiError<{ detail: unknown }>) => void = () => {}) =>
  (error: unknown): true => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.status, status);
    check(error);
    return true;
  };

test('submits, polls and receives a video that can be downloaded', async () => {
  const results = await startResultServer();
  try {
    await withClient(
      async (client) => {
        const seen: string[] = [];
        const { data, requestId } = await client.subscribe(endpoint, {
          input,
          pollInterval: 1,
          onQueueUpdate: ({ status }) => seen.push(status),
        });
        assert.deepEqual(seen, ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']);
        assert.match(requestId, /^[\da-f-]{36}$/);
        const { video } = data as { video: { url: string; content_type: string } };
        assert.equal(video.content_type, 'video/mp4');
        const bytes = Buffer.from(await (await fetch(video.url)).arrayBuffer());
        assert.deepEqual(bytes, await readFile(resultVideoPath));
      },
      { automatic: true, outputUrl: results.videoUrl },
    );
  } finally {
    await results.close();
  }
});

test('receives rejected inputs field by field, with the result of the request', () =>
  withClient(async (client, fake) => {
    const assertRejected = async (change: object, field: string) => {
      const options = { input: { ...input, ...change } };
      const { request_id: requestId } = await client.queue.submit(endpoint, options);
      fake.complete(requestId);
      const result = client.queue.result(endpoint, { requestId });
      await assert.rejects(result, (error: unknown) => {
        assert.ok(error instanceof ValidationError, String(error));
        assert.equal(error.getFieldErrors(field).length, 1);
        return true;
      });
    };
    await assertRejected({ prompt: '' }, 'prompt');
    await assertRejected({ duration: 5 }, 'duration');
    await assertRejected({ aspect_ratio: 'adaptive' }, 'aspect_ratio');
    await assertRejected({ watermark: true }, 'watermark');
    await assertRejected({ generate_audio: 'yes' }, 'generate_audio');
    await assertRejected({ seed: 'any' }, 'seed');
  }));

test('sees a failed request as completed, and receives its error with the result', () =>
  withClient(async (client, fake) => {
    const { request_id: requestId } = await client.queue.submit(endpoint, { input });
    await assert.rejects(
      client.queue.result(endpoint, { requestId }),
      rejectedWith(400, ({ body }) => assert.equal(body.detail, 'Request is still in progress')),
    );
    fake.complete(requestId, errorResponses['content refused']);
    assert.equal((await client.queue.status(endpoint, { requestId })).status, 'COMPLETED');
    const isPolicy = (error: unknown): true => {
      assert.ok(error instanceof ValidationError);
      assert.equal(error.fieldErrors[0]?.type, 'content_policy_violation');
      return true;
    };
    await assert.rejects(client.queue.result(endpoint, { requestId }), isPolicy);
  }));

test('cancels a queued request, and is rejected for an ended or unknown one', () =>
  withClient(async (client, fake) => {
    const { request_id: requestId } = await client.queue.submit(endpoint, { input });
    await client.queue.cancel(endpoint, { requestId });
    assert.equal(fake.queued().length, 0);
    await assert.rejects(client.queue.cancel(endpoint, { requestId }), rejectedWith(404));
    await assert.rejects(client.queue.status(endpoint, { requestId }), rejectedWith(404));
    const second = await client.queue.submit(endpoint, { input });
    fake.complete(second.request_id);
    const ended = { requestId: second.request_id };
    await assert.rejects(client.queue.cancel(endpoint, ended), rejectedWith(400));
  }));
