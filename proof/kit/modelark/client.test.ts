/** The AI SDK's ByteDance client works with the fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createByteDance } from '@ai-sdk/bytedance';
import { FakeModelArk, fakeModels } from './fake.ts';

type Model = ReturnType<ReturnType<typeof createByteDance>['video']>;
type GenerateOptions = Parameters<Model['doGenerate']>[0];

function modelOf(fake: FakeModelArk, apiKey = fake.apiKey): Model {
  const id = fakeModels['vidgen-2-0'];
  return createByteDance({ baseURL: fake.baseUrl, apiKey }).video(id);
}

function generateOptions(change: Partial<GenerateOptions> = {}): GenerateOptions {
  return {
    prompt: 'A paper boat drifts on a quiet lake',
    n: 1,
    aspectRatio: '16:9',
    resolution: '1280x720',
    duration: 5,
    fps: undefined,
    seed: undefined,
    image: undefined,
    providerOptions: { bytedance: { pollIntervalMs: 1, pollTimeoutMs: 30_000 } },
    ...change,
  } as GenerateOptions;
}

test('creates, polls and receives a video that can be downloaded', async () => {
  await using fake = await FakeModelArk.start({ automatic: true });
  const { videos } = await modelOf(fake).doGenerate(generateOptions());
  const [video] = videos;
  assert.ok(video?.type === 'url');
  const file = await fetch(video.url);
  assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'video/mp4']);
  const [task] = fake.tasks();
  assert.partialDeepStrictEqual(task!.body, { resolution: '720p', ratio: '16:9', duration: 5 });
});

test('sends references of every kind', async () => {
  await using fake = await FakeModelArk.start({ automatic: true });
  const url = (name: string) => `https://cdn.example.test/${name}`;
  const bytedance = {
    pollIntervalMs: 1,
    referenceImages: [url('a.png'), url('b.png')],
    referenceVideos: [url('a.mp4')],
    referenceAudio: [url('a.mp3')],
  };
  await modelOf(fake).doGenerate(generateOptions({ providerOptions: { bytedance } }));
  const roles = fake.tasks()[0]!.body.content.flatMap(({ role }) => role ?? []);
  const images = ['reference_image', 'reference_image'];
  assert.deepEqual(roles, [...images, 'reference_video', 'reference_audio']);
});

test('receives rejections with their messages', async () => {
  await using fake = await FakeModelArk.start({ automatic: true });
  await assert.rejects(
    async () => await modelOf(fake, 'other').doGenerate(generateOptions()),
    /API key/,
  );
  const tooLong = generateOptions({ duration: 31 });
  await assert.rejects(async () => await modelOf(fake).doGenerate(tooLong), /duration/);
  assert.deepEqual(fake.tasks(), [], 'nothing was created');
});
