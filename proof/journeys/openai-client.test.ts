/**
 * OpenAI's own client, from a create to a playable file, by changing its base URL and key.
 * Thorough: the format itself is tested in every run (`dialects/openai`).
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Video } from '@vidgen/contract/openai-videos.ts';
import OpenAI, { toFile } from 'openai';
import { findTask } from '../../server/tasks/store.ts';
import { assertPlayable } from '../kit/assert-playable.ts';
import { useJourney } from '../kit/journey.ts';
import { makeMedia } from '../kit/media-files.ts';
import { resultFramePath } from '../kit/result-server.ts';

const renderer = fileURLToPath(new URL('../kit/one-second-renderer.ts', import.meta.url));
const journey = await useJourney({
  renderer,
  // Providers fetch the sources of edits from there; the scripted one fetches nothing.
  environment: { VIDGEN_PUBLIC_URL: 'https://videos.example.com' },
  file: { aliases: { 'sora-2': 'vidgen-2-5', 'sora-2-pro': 'vidgen-2-0' } },
});
const { service } = journey;

type AccountOptions = Parameters<typeof service.account>[0];

/** Live keys use the scripted provider, test keys the preview. */
async function newClient(options: AccountOptions = { live: 1000 }) {
  const account = await service.account(options);
  const openai = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: account.key });
  /** Waits by our long poll, so that no test sleeps. */
  const finished = async (id: string) => {
    await account.client.final(id);
    return await openai.videos.retrieve(id);
  };
  return { ...account, videos: openai.videos, models: openai.models, finished };
}

const request = { prompt: 'A paper boat', seconds: '4', size: '1280x720' } as const;
const apiError = (status: number, code: string) => ({ status, code });

test('creates, polls and downloads a playable video and its thumbnail', async () => {
  const { videos, finished } = await newClient({ mode: 'test', test: 1000 });
  const { data: created, response } = await videos
    .create({ ...request, model: 'sora-2' })
    .withResponse();
  assert.match(response.headers.get('openai-poll-after-ms') ?? '', /^\d+$/);
  assert.partialDeepStrictEqual(created, {
    object: 'video',
    status: 'queued',
    progress: 0,
    model: 'vidgen-2-5',
    prompt: request.prompt,
    seconds: '4',
    size: '1280x720',
    error: null,
    expires_at: null,
  });
  const video = await finished(created.id);
  assert.partialDeepStrictEqual(video, { status: 'completed', progress: 100, error: null });
  assert.equal(video.created_at, created.created_at);
  assert((video.expires_at ?? 0) > (video.completed_at ?? Number.POSITIVE_INFINITY));
  const content = await videos.downloadContent(video.id);
  assert.equal(content.headers.get('content-type'), 'video/mp4');
  await assertPlayable(Buffer.from(await content.arrayBuffer()));
  const thumbnail = await videos.downloadContent(video.id, { variant: 'thumbnail' });
  assert.equal(thumbnail.headers.get('content-type'), 'image/jpeg');
  const spritesheet = videos.downloadContent(video.id, { variant: 'spritesheet' });
  await assert.rejects(spritesheet, apiError(404, 'not_found'));
});

test('sends an image as the first frame, and the size says how large', async () => {
  const { videos, id, finished } = await newClient();
  const image = await readFile(resultFramePath);
  const input_reference = await toFile(image, 'frame.jpg', { type: 'image/jpeg' });
  const created = await videos.create({ ...request, input_reference });
  assert.equal(created.size, '1280x720');
  assert.equal((await finished(created.id)).status, 'completed');
  const task = await findTask(service.db, created.id);
  assert.partialDeepStrictEqual(task?.generation, {
    model: 'vidgen-2-5',
    generationType: 'image-to-video',
    aspectRatio: 'adaptive',
  });
  assert(task?.generation.imageUrls[0]?.startsWith(`${service.url}/uploads/`), id);
});

test('takes an image by the ID of a file, of the own account only', async () => {
  const { videos, client, finished } = await newClient({ live: 1000 });
  const { id: file_id } = await client.upload(await readFile(resultFramePath));
  const created = await videos.create({ ...request, input_reference: { file_id } });
  assert.equal((await finished(created.id)).status, 'completed');
  const other = await newClient({ live: 1000 });
  const rejected = other.videos.create({ ...request, input_reference: { file_id } });
  await assert.rejects(rejected, apiError(400, 'invalid_request'));
});

describe('a finished video', () => {
  const source = makeMedia({ format: 'mp4', video: 'libx264', seconds: 5 });

  test('is edited and extended by its ID', async () => {
    const { videos, finished } = await newClient();
    const short = await finished((await videos.create(request)).id);
    const byId = { prompt: 'Make it snow', video: { id: short.id } };
    // The scripted provider returns one second, and an edit needs four.
    await assert.rejects(videos.edit(byId), {
      status: 400,
      param: 'video',
      message: '400 video is 1 s long; each video must be 4 to 30 s for video editing',
    });
    const longer = await finished((await videos.create(request)).id);
    const file = join(service.home, 'source.mp4');
    await writeFile(file, await source);
    const key = (await findTask(service.db, longer.id))!.result!.video;
    await service.parts.lifecycle.storage.put({ key, file, contentType: 'video/mp4' });
    const edit = await videos.edit({ ...byId, video: { id: longer.id } });
    assert.deepEqual([edit.seconds, edit.model], ['5', 'vidgen-2-5']);
    const edited = await finished(edit.id);
    assert.deepEqual([edited.status, edited.seconds], ['completed', '5']);
    const extension = await videos.extend({ ...byId, video: { id: longer.id }, seconds: '8' });
    const extended = await finished(extension.id);
    assert.deepEqual([extended.status, extended.seconds], ['completed', '8']);
  });

  test('is edited as a file', async () => {
    const { videos, finished } = await newClient();
    const video = await toFile(await source, 'source.mp4', { type: 'video/mp4' });
    const edited = await finished((await videos.edit({ prompt: 'Make it snow', video })).id);
    assert.deepEqual([edited.status, edited.seconds], ['completed', '5']);
  });

  test('of another account is not found, and does not edit', async () => {
    const owner = await newClient();
    const other = await newClient();
    const { id } = await owner.finished((await owner.videos.create(request)).id);
    for (const attempt of [
      () => other.videos.retrieve(id),
      () => other.videos.downloadContent(id),
      () => other.videos.delete(id),
      () => other.videos.edit({ prompt: 'x', video: { id } }),
    ]) {
      await assert.rejects(attempt, apiError(404, 'not_found'));
    }
  });
});

test('a failed video carries its error, and its credits are back', async () => {
  const { videos, finished, client } = await newClient({ mode: 'test', test: 1000 });
  const { id } = await videos.create({ ...request, prompt: '[test:fail] A storm' });
  const { status, error } = await finished(id);
  assert.equal(status, 'failed');
  assert.equal(error?.code, 'provider_failed');
  assert.match(error?.message ?? '', /Your credits were refunded/);
  assert.equal((await client.get('/v1/credits')).body.available, 1000);
  await assert.rejects(videos.downloadContent(id), /The video is failed/);
  assert.equal((await videos.delete(id)).deleted, true);
  await assert.rejects(videos.retrieve(id), apiError(404, 'not_found'));
});

test('deleting a video in progress cancels and refunds it, once', async () => {
  const { videos, client } = await newClient({ mode: 'test', test: 1000 });
  const { id } = await videos.create({ ...request, prompt: '[test:slow] A boat' });
  for (const _ of ['first', 'repeated']) {
    assert.deepEqual(await videos.delete(id), { id, object: 'video.deleted', deleted: true });
  }
  assert.equal((await videos.retrieve(id)).error?.code, 'cancelled');
  assert.equal((await client.get('/v1/credits')).body.available, 1000);
});

describe('errors have their class, our message and the field', () => {
  test('402 without credits, and no retry', async () => {
    const { videos } = await newClient({ live: 3 });
    const error: InstanceType<typeof OpenAI.APIError> = await videos.create(request).then(
      () => assert.fail('accepted'),
      (thrown) => thrown,
    );
    assert.deepEqual(
      [error.status, error.code, error.type],
      [402, 'insufficient_credits', 'insufficient_quota'],
    );
    assert.match(error.message, /costs 32 credits/);
    assert.equal(error.headers?.get('x-should-retry'), 'false');
  });

  test('401 with a wrong key, and 403 without the permission', async () => {
    const wrong = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'vg_live_wrong' });
    await assert.rejects(
      async () => await wrong.videos.create(request),
      OpenAI.AuthenticationError,
    );
    const { videos } = await newClient({ live: 1000, permissions: ['tasks:read'] });
    await assert.rejects(videos.create(request), OpenAI.PermissionDeniedError);
    assert.deepEqual((await videos.list()).data, []);
  });
});

test('lists the videos of the account page by page, in both orders', async () => {
  const { videos } = await newClient();
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push((await videos.create(request)).id);
  for (const order of ['asc', 'desc'] as const) {
    const listed = await Array.fromAsync(videos.list({ limit: 2, order }), ({ id }) => id);
    assert.deepEqual(listed, order === 'asc' ? ids : ids.toReversed());
  }
  const page = await videos.list({ limit: 2 });
  assert.deepEqual([page.has_more, page.last_id], [true, ids[3]]);
});

test('lists models and their aliases', async () => {
  const { models } = await newClient();
  const listed = await Array.fromAsync(models.list(), ({ id, object }) => `${object} ${id}`);
  assert(listed.includes('model vidgen-2-5') && listed.includes('model sora-2'), listed.join());
  assert.equal((await models.retrieve('sora-2')).id, 'sora-2');
  await assert.rejects(models.retrieve('sora-3'), OpenAI.NotFoundError);
});

/** In the form that n8n's OpenAI node and LiteLLM send them. */
test('requests of n8n and LiteLLM: JSON, forms, files and data URIs', async () => {
  const { key, client } = await newClient();
  const send = (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'OpenAI-Organization': '', ...init.headers };
    return fetch(`${service.url}/v1${path}`, { ...init, headers });
  };
  const fields = { model: 'sora-2', prompt: 'A cat plays', seconds: '8', size: '1280x720' };
  const image = await readFile(resultFramePath);
  const dataUri = `data:image/jpeg;base64,${image.toString('base64')}`;
  const asForm = (extra: Readonly<Record<string, string | Blob>> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...fields, ...extra })) form.append(name, value);
    return { body: form };
  };
  const asJson = (extra: object) => ({
    body: JSON.stringify({ ...fields, ...extra }),
    headers: { 'content-type': 'application/json' },
  });
  for (const init of [
    asForm(),
    asForm({ input_reference: new File([image], 'input_reference.png', { type: 'image/jpeg' }) }),
    asForm({ input_reference: dataUri }),
    asForm({ 'input_reference[image_url]': dataUri }),
    asJson({ user: 'someone' }),
    asJson({ input_reference: { image_url: dataUri } }),
  ]) {
    const created = await send('/videos', { method: 'POST', ...init });
    const { id, size } = Video.parse(await created.json());
    assert.equal(size, '1280x720');
    assert.equal((await client.final(id)).status, 'completed');
    const content = await send(`/videos/${id}/content?video_id=${id}`);
    assert.equal(content.headers.get('content-type'), 'video/mp4');
  }
  const models = await (await send('/models')).json();
  assert.deepEqual([models.object, models.items.length], ['list', 4], 'our own shape is there too');
});
