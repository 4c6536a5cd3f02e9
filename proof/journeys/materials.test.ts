/**
 * Materials are probed before credits are reserved: an invalid one costs nothing.
 *
 * Thorough: writes and measures videos; `server/materials` is tested in every run.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { assertApiError } from '../kit/assert-api-error.ts';
import { balanceOf, imageToVideo, useJourney } from '../kit/journey.ts';
import { makeMedia } from '../kit/media-files.ts';
import { startMediaServer } from '../kit/media-server.ts';
import { resultFramePath } from '../kit/result-server.ts';

const videoUrls = new Map<number, string>();
const audioUrls = new Map<number, string>();

const server = await startMediaServer();
const image = await readFile(resultFramePath);
for (const seconds of [5, 8, 41]) {
  const video = await makeMedia({ format: 'mp4', video: 'mpeg4', audio: 'aac', seconds });
  videoUrls.set(seconds, server.serve(`video ${seconds}`, video));
}
for (const seconds of [1, 20]) {
  const audio = await makeMedia({ format: 'mp3', audio: 'libmp3lame', seconds });
  audioUrls.set(seconds, server.serve(`song ${seconds}`, audio));
}
// No worker runs: the subject is what happens before.
const environment = { VIDGEN_ROLE: 'api', VIDGEN_PUBLIC_URL: 'https://videos.example.com' };
const { service } = await useJourney({ environment });
after(() => server.close());

const reference = (materials: Record<string, unknown>) => ({
  model: 'vidgen-2-5',
  input: {
    prompt: 'The boat turns into a swan',
    generation_type: 'reference-to-video',
    resolution: '480p',
    ...materials,
  },
});

async function assertUntouched(accountId: string, credits: number) {
  const untouched = { available: credits, reserved: 0, suspended: 0 };
  assert.deepEqual((await balanceOf(service, accountId)).live, untouched);
}

describe('nothing is reserved after', () => {
  test('wrong lengths, each and in total, which are named with their numbers', async () => {
    const account = await service.account({ live: 1_000 });
    const response = await account.client.create(
      reference({
        video_urls: [videoUrls.get(5), videoUrls.get(41)],
        audio_urls: [audioUrls.get(1), audioUrls.get(20)],
      }),
    );
    const { message } = assertApiError(response, 'invalid_request');
    assert.deepEqual(message.split(/; (?=input)/), [
      'input.video_urls[1] is 41 s long; each video must be 2 to 30 s for vidgen-2-5',
      'input.video_urls is 46 s long in all; ' +
        'the videos must total at most 30 s for vidgen-2-5',
      'input.audio_urls[0] is 1 s long; each audio file must be 2 to 30 s for vidgen-2-5',
    ]);
    await assertUntouched(account.id, 1_000);
  });

  test('a price above the balance, which covered the minimum', async () => {
    const account = await service.account({ live: 30 });
    const edit = reference({ duration: -1, video_urls: [videoUrls.get(8)] });
    const response = await account.client.create(edit);
    const { required, available } = assertApiError(response, 'insufficient_credits');
    // 480p with a video: 6 credits per second.
    assert.deepEqual({ required, available }, { required: 48, available: 30 });
    await assertUntouched(account.id, 30);
  });
});

test('nothing is probed for an account that cannot pay the minimum', async () => {
  const account = await service.account({ live: 4 });
  const url = server.serve('never', image);
  assert.equal((await account.client.create(imageToVideo(url))).status, 402);
  assert.equal(server.requestCount('never'), 0);
});

test('ignored materials and estimates are not probed', async () => {
  const account = await service.account({ live: 10 });
  const url = server.serve('never', image);
  const ignored = { ...imageToVideo(url), model: 'vidgen-2-0-mini' };
  const plain = { ...ignored, input: { ...ignored.input, generation_type: 'text-to-video' } };
  assert.equal((await account.client.create(plain)).status, 200);
  const estimate = await account.client.post('/v1/videos/generations/estimate', ignored);
  assert.deepEqual([estimate.status, estimate.body], [200, { credits: 5 }]);
  assert.equal(server.requestCount('never'), 0);
});

test('a HEIC image is refused with the formats that a provider takes', async () => {
  const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
  const url = server.serve('heic', Buffer.concat([heic, Buffer.alloc(200)]));
  const live = await service.account({ live: 10 });
  assert.equal((await live.client.create(imageToVideo(url))).status, 200);
  // Test keys use the preview, which cannot decode it.
  const trial = await service.account({ test: 1_000, mode: 'test' });
  const { status, body } = await trial.client.create(imageToVideo(url));
  assert.equal(status, 400);
  assert.equal(
    (body.error as { message: string }).message,
    'input.image_urls[0] is a HEIC image, which no provider of this installation takes; ' +
      'use JPEG, PNG, WebP, GIF, BMP, AVIF',
  );
});

test('a create that gets no turn to be checked is 429, and does not count', async () => {
  const { client, id } = await service.account({ live: 1_000 });
  // Two at a time, so that the last two would have their turn after 10.5 s.
  const slow = server.serve('slow', (_, response) => {
    setTimeout(() => response.writeHead(404).end(), 3_500);
  });
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      client.post('/v1/videos/generations', imageToVideo(`${slow}?${at}`)),
    ),
  );
  const limited = responses.filter(({ status }) => status === 429);
  assert.ok(limited.length > 0, JSON.stringify(responses.map(({ status }) => status)));
  for (const response of limited) {
    assert.equal(assertApiError(response, 'rate_limited').retry_after, 5);
    assert.equal(response.headers.get('retry-after'), '5');
  }
  const { rows } = await service.db.query<{ counted: number }>(
    `select cardinality(stamps) as counted from create_windows w
     join api_keys k on k.id = w.key_id where k.account_id = $1`,
    [id],
  );
  assert.equal(rows[0]!.counted, responses.length - limited.length);
});
