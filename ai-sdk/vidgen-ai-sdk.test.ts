/**
 * The provider in the real AI SDK against the real service: videos are returned and charged once,
 * errors keep the messages of the service, and waiting can be aborted.
 *
 * Thorough: loads the AI SDK and waits for videos.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import {
  APICallError,
  createProviderRegistry,
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  LoadAPIKeyError,
  NoSuchModelError,
  experimental_startVideo as startVideo,
  UnsupportedFunctionalityError,
} from 'ai';
import { balanceOf, useJourney } from '../proof/kit/journey.ts';
import { resultFramePath } from '../proof/kit/result-server.ts';
import { createVidgen, vidgen } from './vidgen-ai-sdk.mjs';

// Tests assert warnings where they expect them.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** The outcome of a task by the first word of its prompt. */
const outcomes: Readonly<Record<string, 'failed' | 'pending'>> = {
  Refused: 'failed',
  Endless: 'pending',
};

const journey = await useJourney({
  script: ({ generation }) => ({
    status: [outcomes[generation.prompt.split(' ')[0]!] ?? 'completed'],
  }),
});

/** The SDK's default is five seconds between polls. */
const poll = { intervalMs: 1 };
const prompt = 'A paper boat on a lake';
const textToVideo = { prompt, generation_type: 'text-to-video' };

type Sent = { path: string; key: string | null; body: unknown };

/** Returns a new account and a provider that records its requests. */
async function createTestProvider({ lose = 0, live = 100 } = {}) {
  const { service } = journey;
  const account = await service.account({ live });
  const sent: Sent[] = [];
  let lost = 0;
  const recordingFetch: typeof fetch = async (url, init) => {
    const path = String(url).slice(service.url.length);
    const key = new Headers(init?.headers).get('idempotency-key');
    const isText = typeof init?.body === 'string';
    sent.push({ path, key, body: isText ? JSON.parse(String(init.body)) : init?.body });
    const response = await fetch(url, init);
    if (init?.method !== 'POST' || lost++ >= lose) return response;
    throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
  };
  const settings = { baseURL: service.url, apiKey: account.key, fetch: recordingFetch };
  const provider = createVidgen(settings);
  const spent = async () => live - (await balanceOf(service, account.id)).live.available;
  return { account, sent, settings, spent, model: provider.video('vidgen-2-0') };
}

test('returns a video and charges it once', async () => {
  const { model, sent, spent } = await createTestProvider();
  const { video, warnings, providerMetadata, responses } = await generateVideo({
    model,
    prompt,
    poll,
    duration: 4,
    resolution: '854x480',
  });
  assert.equal(Buffer.from(video.uint8Array).toString('latin1', 4, 8), 'ftyp');
  assert.deepEqual([video.mediaType, warnings], ['video/mp4', []]);
  assert.deepEqual(sent[0]?.body, {
    model: 'vidgen-2-0',
    input: { ...textToVideo, duration: 4, resolution: '480p', aspect_ratio: '16:9' },
  });
  const [metadata] = providerMetadata.vidgen!.videos as { credits: number; url: string }[];
  assert.equal(metadata?.credits, 12);
  assert.match(metadata.url, /^http:\/\/127\.0\.0\.1:\d+\/results\//);
  assert.match(responses[0]?.headers?.['x-request-id'] ?? '', /^req_/);
  assert.equal(await spent(), 12);
  await journey.service.assertInvariants();
});

test('keeps its own key when a call without a key is retried', async () => {
  const { model, sent, spent } = await createTestProvider();
  const call = {
    prompt,
    n: 1,
    aspectRatio: undefined,
    resolution: undefined,
    duration: 4,
    fps: undefined,
    seed: undefined,
    image: undefined,
    frameImages: undefined,
    inputReferences: undefined,
    generateAudio: undefined,
    providerOptions: {},
  };
  const first = await model.doStart!(call);
  assert.deepEqual((await model.doStart!(call)).operation, first.operation);
  assert.notDeepEqual((await model.doStart!({ ...call })).operation, first.operation);
  assert.equal(new Set(sent.map(({ key }) => key)).size, 2);
  assert.equal(await spent(), 48);
});

test('passes on the message of an API error and does not retry it', async () => {
  const { model, sent, spent } = await createTestProvider({ live: 1 });
  const wrong = generateVideo({ model, prompt, duration: 45 });
  await assert.rejects(wrong, (error: unknown) => {
    assert(APICallError.isInstance(error) && !error.isRetryable);
    assert.match(error.message, /^input\.duration must be 4 to 15 for vidgen-2-0 \(got 45\)/);
    assert.deepEqual(
      [error.statusCode, error.url],
      [400, `${journey.service.url}${sent[0]?.path}`],
    );
    assert.match(error.responseHeaders?.['x-request-id'] ?? '', /^req_/);
    return true;
  });
  const unaffordable = startVideo({ model, prompt });
  await assert.rejects(unaffordable, /This task costs 30 credits but only 1 are available; top up/);
  assert.equal(sent.length, 2);
  assert.equal(await spent(), 0);
});

test('reports the reason and the refund of a failed task', async () => {
  const { model, spent } = await createTestProvider();
  const failing = generateVideo({ model, prompt: 'Refused by everyone', poll });
  await assert.rejects(
    failing,
    /^Error: The task task_\w{26} failed: provider_failed\. Its 30 credits were refunded\.$/,
  );
  assert.equal(await spent(), 0);
});

test('stops waiting when aborted and leaves the task running', async () => {
  const { model, account, sent } = await createTestProvider();
  const controller = new AbortController();
  const { signal: abortSignal } = controller;
  const waiting = generateVideo({ model, prompt: 'Endless rain', poll, abortSignal });
  const polledTwice = async () => {
    while (sent.filter(({ path }) => path.startsWith('/v1/tasks/')).length < 2) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await Promise.all([
    assert.rejects(waiting, { name: 'AbortError' }),
    polledTwice().then(() => controller.abort()),
  ]);
  // The second poll was early, so it waits at the service for the rest of the ten seconds.
  const [, first, second] = sent;
  assert.match(first!.path, /^\/v1\/tasks\/task_\w{26}$/);
  assert.match(second!.path, /\?wait=\d+$/);
  const { body } = await account.client.get('/v1/tasks');
  const [task] = body.items as { status: string }[];
  assert.match(task!.status, /^(queued|generating)$/);
});

test('polls a task that another process started', async () => {
  const { model, account, settings } = await createTestProvider();
  const { operation, providerMetadata } = await startVideo({ model, prompt, duration: 4 });
  const { taskId } = operation as { taskId: string };
  assert.deepEqual(providerMetadata, { vidgen: { taskId, credits: 24 } });
  await account.client.final(taskId);
  const stored = JSON.parse(JSON.stringify(operation));
  const elsewhere = createVidgen({ ...settings, download: false }).video('vidgen-2-0');
  const videoStatus = await getVideoStatus(elsewhere, { operation: stored });
  assert(videoStatus.status === 'completed');
  const [video] = videoStatus.videos;
  assert(video?.type === 'url');
  assert.equal((await fetch(video.url)).status, 200);
  const unknown = getVideoStatus(model, { operation: { taskId: 'task_unknown' } });
  await assert.rejects(unknown, /No task found with this ID/);
});

test('ends the wait on a webhook instead of polling', async () => {
  const { model, sent } = await createTestProvider();
  const { url, waitForWebhooks: received } = journey.receiver;
  const call = async () => {
    const [first] = await received(1);
    return { headers: {}, body: { id: first!.body.id } };
  };
  const webhook = async () => ({ url, received: call() });
  const { video } = await generateVideo({ model, prompt, webhook });
  assert(video.uint8Array.length > 0);
  assert.equal((sent[0]!.body as { callback_url: string }).callback_url, url);
  const polls = sent.filter(({ path }) => path.startsWith('/v1/tasks/'));
  assert.equal(polls.length, 1);
});

const imageUrl = 'https://pictures.example/boat.png';

test('assigns images, frames and references to their fields', async () => {
  const { model, sent } = await createTestProvider({ live: 1000 });
  const clip = 'https://pictures.example/clip.mp4';
  const sound = { data: 'https://pictures.example/waves', mediaType: 'audio/mpeg' };
  const last = { image: clip.replace('clip.mp4', 'end.png'), frameType: 'last_frame' } as const;
  const withImage = { image: imageUrl, text: prompt };
  await startVideo({ model, prompt: withImage, resolution: '1280x720' });
  await startVideo({ model, prompt: withImage, frameImages: [last] });
  await startVideo({ model, prompt, inputReferences: [imageUrl, clip, sound] });
  const { warnings } = await startVideo({ model, prompt: withImage, inputReferences: [clip] });
  assert.match(JSON.stringify(warnings), /the image is a reference, not the first frame/);
  const [one, two, many, both] = sent.map(({ body }) => (body as { input: object }).input);
  const frames = { prompt, generation_type: 'image-to-video' };
  assert.deepEqual(one, { ...frames, image_urls: [imageUrl], resolution: '720p' });
  assert.deepEqual(two, { ...frames, image_urls: [imageUrl, last.image] });
  const references = { prompt, generation_type: 'reference-to-video', image_urls: [imageUrl] };
  assert.deepEqual(many, { ...references, video_urls: [clip], audio_urls: [sound.data] });
  assert.deepEqual(both, { ...references, video_urls: [clip] });
});

test('warns about unsupported options and rejects impossible ones', async () => {
  const { settings, sent } = await createTestProvider({ live: 1000 });
  const model = createVidgen(settings).video('vidgen-2-5');
  const { warnings } = await startVideo({
    model,
    prompt,
    fps: 30,
    seed: 7,
    resolution: '2560x1440',
    generateAudio: false,
    providerOptions: { vidgen: { return_last_frame: true, video_urls: [] } },
  });
  assert.deepEqual(warnings, [
    { type: 'unsupported', feature: 'fps', details: 'The model chooses the frame rate.' },
    { type: 'unsupported', feature: 'seed', details: 'vidgen-2-5 has no seed.' },
    {
      type: 'compatibility',
      feature: 'resolution',
      details: '2560x1440 is not supported; using 1080p, 16:9.',
    },
  ]);
  const { input } = sent[0]!.body as { input: Record<string, unknown> };
  const expectedInput = { resolution: '1080p', aspect_ratio: '16:9', generate_audio: false };
  assert.deepEqual(input, {
    ...textToVideo,
    ...expectedInput,
    return_last_frame: true,
    video_urls: [],
  });
  const seeded = await startVideo({
    model: createVidgen(settings).video('vidgen-2-0'),
    prompt,
    seed: 7,
    providerOptions: { vidgen: { image_urls: [imageUrl] } },
  });
  assert.deepEqual(seeded.warnings, [
    { type: 'other', message: 'Ignored for this generation type: input.image_urls.' },
  ]);
  const frameImages = [{ image: imageUrl, frameType: 'last_frame' as const }];
  await assert.rejects(startVideo({ model, prompt, frameImages }), (error) =>
    UnsupportedFunctionalityError.isInstance(error),
  );
  assert.equal(sent.length, 2);
});

test('uploads files that are given as bytes, and charges once if responses are lost', async () => {
  const image = await readFile(resultFramePath);
  // The responses to two uploads and to the first create.
  const { model, sent, spent } = await createTestProvider({ lose: 3 });
  await generateVideo({
    model,
    poll,
    duration: 4,
    resolution: '854x480',
    maxRetries: 3,
    prompt,
    frameImages: [
      { image: new Uint8Array(image), frameType: 'first_frame' },
      { image: image.toString('base64'), frameType: 'last_frame' },
    ],
  });
  const creates = sent.filter(({ path }) => path === '/v1/videos/generations');
  assert(creates.length >= 1);
  assert.equal(new Set(creates.map(({ key }) => key)).size, 1);
  assert.match(creates[0]?.key ?? '', /^aisdk_vid_/);
  const { input } = creates.at(-1)!.body as { input: { image_urls: string[] } };
  assert.equal(input.image_urls.length, 2);
  for (const url of input.image_urls) {
    assert.match(url, /\/uploads\//);
    assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), image);
  }
  assert.equal(await spent(), 12);
  const wrong = startVideo({ model, prompt: { image: new Uint8Array([1]), text: prompt } });
  await assert.rejects(wrong, (error: unknown) => {
    assert(APICallError.isInstance(error));
    assert.match(error.message, /^Unsupported file type/);
    return true;
  });
});

test('rejects missing keys and other model types without a request', async () => {
  const { settings, sent } = await createTestProvider();
  for (const apiKey of ['', 'vg_live_…']) {
    const model = createVidgen({ ...settings, apiKey }).video('vidgen-2-5');
    await assert.rejects(startVideo({ model, prompt }), (error: unknown) => {
      assert(LoadAPIKeyError.isInstance(error));
      assert.match(error.message, /Create one at \S+\/dashboard and set VIDGEN_KEY/);
      return true;
    });
  }
  assert.throws(
    () => vidgen.languageModel('vidgen-2-5'),
    (error) => NoSuchModelError.isInstance(error),
  );
  assert.equal(sent.length, 0);
  const registry = createProviderRegistry({ vidgen: createVidgen(settings) });
  await startVideo({ model: registry.videoModel('vidgen:vidgen-2-0-mini'), prompt });
  assert.equal((sent[0]!.body as { model: string }).model, 'vidgen-2-0-mini');
});
