/** Models, estimates and credits (extensions): correct figures, and no side effects. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CreditsResponse } from '@vidgen/contract/credits-response.ts';
import { ModelsResponse } from '@vidgen/contract/models-response.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { makeMedia } from '../../../proof/kit/media-files.ts';
import { createScriptedProvider } from '../../../proof/kit/scripted-provider.ts';
import { type Client, useService } from '../../../proof/kit/service.ts';

const provider = createScriptedProvider({ results: { folder: 'never written' } });
const service = await useService({
  environment: {
    VIDGEN_ROLE: 'api',
    VIDGEN_RATE_STATUS: '0',
    VIDGEN_PUBLIC_URL: 'https://videos.example.com',
  },
  providers: { [provider.name]: provider },
  // A model without a route has no provider for live keys.
  file: { routes: { 'vidgen-2-5': [provider.name], 'vidgen-2-0-mini': [provider.name] } },
});
const { client, otherClient } = await service.account({ live: 1000, test: 7 });
const testing = await otherClient({ mode: 'test' });

const estimate = (body: unknown, who = client) => who.post('/v1/videos/generations/estimate', body);

test('GET /v1/models lists what the key can use: for a live key, with a provider', async () => {
  const names = async (who: Client) =>
    ModelsResponse.parse((await who.get('/v1/models')).body).items.map(({ id }) => id);
  assert.deepEqual(await names(client), ['vidgen-2-5', 'vidgen-2-0-mini']);
  assert.equal((await names(testing)).length, 4);
  const response = await client.create({ ...textToVideo, model: 'vidgen-2-0' });
  assertApiError(
    response,
    'invalid_request',
    'model vidgen-2-0 is not served by this installation',
  );
  assertApiError(await estimate({ ...textToVideo, model: 'vidgen-2-0' }), 'invalid_request');
  assert.equal((await estimate({ ...textToVideo, model: 'vidgen-2-0' }, testing)).status, 200);
});

describe('POST /v1/videos/generations/estimate', () => {
  test('returns what create would reserve, and reserves nothing', async () => {
    const body = { model: 'vidgen-2-5', input: { prompt: 'x', duration: 7, resolution: '1080p' } };
    const before = (await client.get('/v1/credits')).body;
    const estimated = await estimate(body);
    assert.deepEqual([estimated.status, estimated.body], [200, { credits: 126 }]);
    assert.deepEqual((await client.get('/v1/credits')).body, before);
    assert.deepEqual((await client.get('/v1/tasks')).body.items, []);
    const { body: created } = await client.create(body);
    assert.equal(created.credits, estimated.body.credits);
  });

  test('prices editing as 30 s, and an upload as its create reserves it', async () => {
    const edit = (url: string) => ({
      model: 'vidgen-2-5',
      input: {
        prompt: 'x',
        generation_type: 'reference-to-video',
        duration: -1,
        video_urls: [url],
      },
    });
    const most = 360;
    const elsewhere = await estimate(edit('https://cdn.example.com/video.mp4'));
    assert.deepEqual(elsewhere.body, { credits: most });
    const video = await makeMedia({ format: 'mp4', video: 'mpeg4', seconds: 5 });
    const { url } = await client.upload(video);
    // What a busy machine could not measure in time is estimated at the most it can cost.
    let estimated = most;
    for (let tries = 0; estimated === most && tries < 10; tries++) {
      estimated = Number((await estimate(edit(url))).body.credits);
    }
    assert.equal(estimated, 60);
    assert.equal((await client.create(edit(url))).body.credits, estimated);
  });

  test('needs no credits, lists ignored fields, rejects what create rejects', async () => {
    const { client: poor } = await service.account();
    const ignored = { ...textToVideo, input: { ...textToVideo.input, video_urls: ['x'] } };
    const response = await estimate(ignored, poor);
    assert.deepEqual([response.status, response.body], [200, { credits: 5 }]);
    assert.equal(response.headers.get('vidgen-ignored'), 'input.video_urls');
    for (const body of [{}, [], { ...textToVideo, seed: 1 }, { ...textToVideo, model: 'x' }]) {
      const actual = assertApiError(await estimate(body, client), 'invalid_request').message;
      assert.equal(actual, assertApiError(await client.create(body), 'invalid_request').message);
    }
  });
});

test('GET /v1/credits returns exactly available, reserved and mode of the key', async () => {
  const { client: own } = await service.account({ live: 12, test: 3 });
  await own.create(textToVideo);
  const { body } = await own.get('/v1/credits');
  assert.deepEqual(CreditsResponse.parse(body), { available: 7, reserved: 5, mode: 'live' });
  assert.deepEqual(Object.keys(body), ['available', 'reserved', 'mode']);
  assert.deepEqual((await testing.get('/v1/credits')).body, {
    available: 7,
    reserved: 0,
    mode: 'test',
  });
});
