/**
 * OpenRouter's own clients, from a create to a playable file, by another base URL and key.
 * Thorough: the format itself is tested in every run (`dialects/openrouter`).
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { OpenRouter } from '@openrouter/sdk';
import { APICallError, experimental_generateVideo as generateVideo } from 'ai';
import { assertPlayable } from '../kit/assert-playable.ts';
import { useJourney } from '../kit/journey.ts';
import { resultFramePath } from '../kit/result-server.ts';

const renderer = fileURLToPath(new URL('../kit/one-second-renderer.ts', import.meta.url));
const { service } = await useJourney({
  renderer,
  file: { aliases: { 'bytedance/seedance-2.0': 'vidgen-2-0-mini' } },
});

const testCredits = { mode: 'test', test: 1000 } as const;

async function newClient(options: Parameters<typeof service.account>[0] = testCredits) {
  const account = await service.account(options);
  const serverURL = `${service.url}/api/v1`;
  const provider = createOpenRouter({ baseURL: serverURL, apiKey: account.key });
  const video = (model = 'bytedance/seedance-2.0') =>
    provider.videoModel(model, { pollIntervalMs: 50 });
  const sdk = new OpenRouter({ serverURL, apiKey: account.key, retryConfig: { strategy: 'none' } });
  return { ...account, video, jobs: sdk.videoGeneration, sdk };
}

/** The SDK's own download refuses loopback. Like that one, without the key. */
const download = async ({ url }: { url: URL }) => {
  const response = await fetch(url);
  return { data: await response.bytes(), mediaType: response.headers.get('content-type')! };
};

describe('the AI SDK with its provider', () => {
  test('generates a playable video', async () => {
    const { video, client } = await newClient();
    const result = await generateVideo({
      model: video(),
      prompt: 'A paper boat drifts on a quiet lake',
      duration: 4,
      resolution: '854x480',
      download,
    });
    assert.equal(result.videos.length, 1);
    await assertPlayable(result.video.uint8Array);
    const { cost } = result.providerMetadata.openrouter as { cost: number };
    assert.equal((await client.get('/v1/credits')).body.available, 1000 - cost);
  });

  test('sends an image as bytes', async () => {
    const { video } = await newClient({ live: 1000 });
    const image = await readFile(resultFramePath);
    const prompt = { image, text: 'The boat unfolds' };
    const aspectRatio = '16:9';
    const { videos } = await generateVideo({ model: video(), prompt, aspectRatio, download });
    assert.equal(videos.length, 1);
  });

  for (const [what, options, request, status, message] of [
    ['a failed video', testCredits, { prompt: '[test:fail] x' }, 500, /couldn’t generate/],
    ['no credits', { live: 1 }, { prompt: 'x' }, 402, /credits/],
    ['a wrong duration', testCredits, { prompt: 'x', duration: 40 }, 400, /^duration must be 4/],
  ] as const) {
    test(`gets our message: ${what}`, async () => {
      const { video } = await newClient(options);
      const generation = generateVideo({ model: video(), maxRetries: 0, ...request });
      await assert.rejects(generation, (error) => {
        assert(APICallError.isInstance(error), String(error));
        assert.equal(error.statusCode, status);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  test('stops polling at a cancelled video', async () => {
    const { video, client } = await newClient();
    const prompt = '[test:slow] A boat';
    const generation = generateVideo({ model: video(), prompt, maxRetries: 0 });
    const rejected = assert.rejects(generation, /was canceled/);
    let id: string | undefined;
    while (!id) id = ((await client.get('/v1/tasks')).body.items as { id: string }[])[0]?.id;
    assert.equal((await client.post(`/v1/tasks/${id}/cancel`)).status, 200);
    await rejected;
    assert.equal((await client.get('/v1/credits')).body.available, 1000);
  });
});

describe('the SDK', () => {
  const request = {
    model: 'vidgen-2-0-mini',
    prompt: 'A boat',
    duration: 4,
    resolution: '480p',
  } as const;

  test('creates, reads and downloads a video', async () => {
    const { jobs, client } = await newClient({ live: 1000 });
    const created = await jobs.generate({ videoGenerationRequest: request });
    assert.deepEqual([created.status, created.error], ['pending', undefined]);
    assert.equal(created.pollingUrl, `${service.url}/api/v1/videos/${created.id}`);
    await client.final(created.id);
    const job = await jobs.getGeneration({ jobId: created.id });
    assert.partialDeepStrictEqual(job, { status: 'completed', usage: { cost: 4 } });
    assert.equal((await fetch(job.unsignedUrls![0]!)).headers.get('content-type'), 'video/mp4');
    const stream = await jobs.getVideoContent({ jobId: created.id });
    const bytes = await new Response(stream).bytes();
    assert.equal(Buffer.from(bytes).toString('latin1', 4, 8), 'ftyp');
  });

  test('reads errors in their own classes', async () => {
    const { jobs } = await newClient({ live: 1 });
    const create = (change: object) =>
      jobs.generate({ videoGenerationRequest: { ...request, ...change } });
    await assert.rejects(create({}), { name: 'PaymentRequiredResponseError' });
    await assert.rejects(create({ resolution: '2K' }), { name: 'BadRequestResponseError' });
    await assert.rejects(jobs.getGeneration({ jobId: 'x' }), { name: 'NotFoundResponseError' });
  });

  test('reads models and the balance', async () => {
    const { sdk } = await newClient({ live: 1000 });
    const { result } = await sdk.models.list({});
    assert.ok(result.data.some(({ id }) => id === 'bytedance/seedance-2.0'));
    const { data } = await sdk.credits.getCredits();
    assert.deepEqual(data, { totalCredits: 1000, totalUsage: 0 });
  });

  test('lists the models with their limits', async () => {
    const { jobs } = await newClient();
    const { data } = await jobs.listVideosModels();
    const alias = data.find(({ id }) => id === 'bytedance/seedance-2.0');
    assert.partialDeepStrictEqual(alias, {
      canonicalSlug: 'vidgen-2-0-mini',
      supportedResolutions: ['480p', '720p'],
      seed: true,
    });
    assert.deepEqual([alias?.supportedDurations?.[0], alias?.supportedDurations?.at(-1)], [4, 15]);
  });
});
