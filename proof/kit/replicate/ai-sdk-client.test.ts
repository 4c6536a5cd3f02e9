/** The AI SDK's Replicate client works with the fake. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createReplicate } from '@ai-sdk/replicate';
import { resultVideoPath, startResultServer } from '../result-server.ts';
import { FakeReplicate } from './fake.ts';

type Model = ReturnType<ReturnType<typeof createReplicate>['video']>;
type StartOptions = Parameters<NonNullable<Model['doStart']>>[0];
type Status = Awaited<ReturnType<NonNullable<Model['doStatus']>>>;

const modelOf = (fake: FakeReplicate, apiToken = fake.apiKey): Model =>
  createReplicate({ baseURL: fake.baseUrl, apiToken }).video('bytedance/seedance-2.0');

const startOptions = (change: Partial<StartOptions> = {}): StartOptions =>
  ({
    ...{ prompt: 'A paper boat', n: 1, aspectRatio: '16:9', duration: 5, seed: 7 },
    providerOptions: { replicate: { resolution: '720p', generate_audio: false } },
    ...change,
  }) as StartOptions;

async function pollUntilEnded(model: Model, operation: unknown): Promise<Status> {
  for (;;) {
    const options = { operation } as Parameters<NonNullable<Model['doStatus']>>[0];
    const status = await model.doStatus!(options);
    if (status.status !== 'pending') return status;
  }
}

test('starts, polls and receives a video that can be downloaded', async () => {
  const results = await startResultServer();
  try {
    await using fake = await FakeReplicate.start({
      ...{ automatic: true, outputUrl: results.videoUrl },
    });
    const model = modelOf(fake);
    const image = { type: 'url', url: 'https://cdn.example.test/a.png' } as const;
    const { operation } = await model.doStart!(startOptions({ image }));
    const status = await pollUntilEnded(model, operation);
    assert.ok(status.status === 'completed');
    const [video] = status.videos;
    assert.ok(video?.type === 'url');
    const file = await fetch(video.url);
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), await readFile(resultVideoPath));
    assert.deepEqual(fake.predictions()[0]!.input, {
      ...{ prompt: 'A paper boat', image: image.url, aspect_ratio: '16:9', duration: 5, seed: 7 },
      ...{ resolution: '720p', generate_audio: false },
    });
  } finally {
    await results.close();
  }
});

test('sends its webhook, which the fake keeps with the prediction', async () => {
  await using fake = await FakeReplicate.start();
  const webhookUrl = 'https://svc.example.test/hooks/1';
  await modelOf(fake).doStart!(startOptions({ webhookUrl }));
  const [{ webhook, webhookEvents } = assert.fail()] = fake.predictions();
  assert.deepEqual([webhook, webhookEvents], [webhookUrl, ['completed']]);
});

test('receives rejections and failures with their messages', async () => {
  await using fake = await FakeReplicate.start();
  const start = async (change: Partial<StartOptions>, model = modelOf(fake)) =>
    await model.doStart!(startOptions(change));
  await assert.rejects(start({}, modelOf(fake, 'r8_wrong')), { statusCode: 401 });
  await assert.rejects(start({ duration: 16 }), {
    statusCode: 422,
    message: '- input.duration: Must be less than or equal to 15\n',
  });
  await assert.rejects(start({ resolution: '1280x720' }), /property size is not allowed/);
  assert.deepEqual(fake.predictions(), [], 'nothing was created');
  for (const [status, message] of [
    ['failed', /E005/],
    ['canceled', /canceled/],
  ] as const) {
    const { operation } = await start({});
    const { id } = fake.predictions().at(-1)!;
    fake.advance(id, status, status === 'failed' ? { error: 'Flagged as sensitive (E005)' } : {});
    const ended = await pollUntilEnded(modelOf(fake), operation);
    assert.ok(ended.status === 'error');
    assert.match(ended.error, message);
  }
});
