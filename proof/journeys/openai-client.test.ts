/** OpenAI's own client, from a create to a playable file, by changing its base URL and key. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { startJourney } from '../kit/journey.ts';

const renderer = fileURLToPath(new URL('../kit/one-second-renderer.ts', import.meta.url));
const journey = await startJourney({
  renderer,
  file: { aliases: { 'sora-2': 'vidgen-2-5', 'sora-2-pro': 'vidgen-2-0' } },
});
const { service } = journey;
after(() => journey.close());

const clientOf = (apiKey: string) =>
  new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 2 });

async function testClient(options: { test?: number; permissions?: string[] } = {}) {
  const account = await service.account({ mode: 'test', test: 1000, ...options });
  return { account, openai: clientOf(account.key) };
}

/** Waits with our long poll, so that no test sleeps; the client reads the result. */
async function finished(client: Awaited<ReturnType<typeof testClient>>, id: string) {
  await client.account.client.final(id);
  return await client.openai.videos.retrieve(id);
}

const request = { prompt: 'A paper boat', seconds: '4', size: '1280x720' } as const;

test('creates, polls and downloads a playable video and its thumbnail', async () => {
  const client = await testClient();
  const { videos } = client.openai;
  const { data: created, response } = await videos
    .create({ ...request, model: 'sora-2' })
    .withResponse();
  assert.match(response.headers.get('openai-poll-after-ms') ?? '', /^\d+$/);
  const { status, model, seconds, size, error } = created;
  assert.deepEqual(
    { status, model, seconds, size, error },
    { status: 'queued', model: 'vidgen-2-5', seconds: '4', size: '1280x720', error: null },
  );
  const video = await finished(client, created.id);
  assert.deepEqual([video.status, video.progress, video.error], ['completed', 100, null]);
  assert.equal(video.created_at, created.created_at);
  assert((video.expires_at ?? 0) > (video.completed_at ?? Number.POSITIVE_INFINITY));
  const content = await videos.downloadContent(video.id);
  assert.equal(content.headers.get('content-type'), 'video/mp4');
  const bytes = Buffer.from(await content.arrayBuffer());
  assert.equal(bytes.toString('latin1', 4, 8), 'ftyp');
  const thumbnail = await videos.downloadContent(video.id, { variant: 'thumbnail' });
  assert.equal(thumbnail.headers.get('content-type'), 'image/jpeg');
  await assert.rejects(
    videos.downloadContent(video.id, { variant: 'spritesheet' }),
    OpenAI.NotFoundError,
  );
  await service.assertInvariants();
});
