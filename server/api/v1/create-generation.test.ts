/**
 * `POST /v1/videos/generations` over HTTP: one group per code of the error table (docs/spec.md 7).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { type startService, useService } from '../../../proof/kit/service.ts';

type Account = Awaited<ReturnType<Service['account']>>;
type Service = Awaited<ReturnType<typeof startService>>;
// Without a worker: the subject is what happens before.
const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });
const rich = await service.account({ live: 100_000 });

const imageUrl = 'http://127.0.0.1:1/first.png';
const clipUrl = 'http://127.0.0.1:1/clip.mp4';
const balanceOf = async ({ client }: Account) => (await client.get('/v1/credits')).body;

describe('accepted: 200', () => {
  test('returns exactly taskId and credits, and reserves the credits', async () => {
    const account = await service.account({ live: 20 });
    const response = await account.client.create(textToVideo);
    assert.equal(response.status, 200);
    assert.deepEqual(Object.keys(response.body), ['taskId', 'credits']);
    assert.match(String(response.body.taskId), /^task_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    assert.equal(response.body.credits, 5);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.match(response.headers.get('x-request-id') ?? '', /^req_/);
    assert.equal(response.headers.get('vidgen-ignored'), null);
    assert.deepEqual(await balanceOf(account), { available: 15, reserved: 5, mode: 'live' });
  });

  const ignored = [
    ['text-to-video', 'input.image_urls, input.video_urls, input.audio_urls'],
    ['image-to-video', 'input.video_urls, input.audio_urls'],
    ['reference-to-video', null],
  ] as const;
  for (const [generation_type, header] of ignored) {
    test(`${generation_type} lists ignored materials: ${header ?? 'none'}`, async () => {
      const materials = { image_urls: [imageUrl], video_urls: [clipUrl], audio_urls: [clipUrl] };
      const body = { model: 'vidgen-2-5', input: { prompt: 'x', generation_type, ...materials } };
      const response = await rich.client.create(body, { 'idempotency-key': generation_type });
      assert.equal(response.status, 200, JSON.stringify(response.body));
      assert.equal(response.headers.get('vidgen-ignored'), header);
      const again = await rich.client.create(body, { 'idempotency-key': generation_type });
      assert.deepEqual(again.body, response.body);
      assert.equal(again.headers.get('vidgen-ignored'), header);
      const shown = await service.admin.get(`/admin/tasks/${response.body.taskId}`);
      assert.deepEqual(shown.body.ignored, header?.split(', ') ?? []);
    });
  }
});

describe('invalid_request: 400', () => {
  const reference = { prompt: 'x', generation_type: 'reference-to-video' };
  const data = (url: string) => ({ ...reference, image_urls: [imageUrl, url] });
  const broken = { prompt: 'x', duration: 45, seed: -1 };
  const cases: [unknown, string | RegExp][] = [
    [
      { model: 'vidgen-2-5', input: broken },
      'input.duration must be 4 to 30 for vidgen-2-5 (got 45); ' +
        'input.seed is not supported by vidgen-2-5, omit it',
    ],
    [
      { ...textToVideo, callback_url: 'https://10.0.0.1/' },
      /^callback_url must not point to a pri/,
    ],
    [
      { model: 'vidgen-2-5', input: data('data:image/png,%89PNG') },
      /^input\.image_urls\[1\] must be an http or https URL, or a base64 data URI \(got "data:/,
    ],
  ];
  for (const [body, message] of cases) {
    test(`names the field, the rule and the fix: ${message}`, async () => {
      const before = await balanceOf(rich);
      assertApiError(await rich.client.create(body), 'invalid_request', message);
      assert.deepEqual(await balanceOf(rich), before);
    });
  }
});

test('insufficient_credits: 402 with both figures, and nothing is accepted', async () => {
  const account = await service.account({ live: 4, test: 1000 });
  const response = await account.client.create(textToVideo);
  const { required, available, message } = assertApiError(response, 'insufficient_credits');
  assert.deepEqual({ required, available }, { required: 5, available: 4 });
  assert.match(message, /costs 5 credits but only 4 are available; top up/);
  assert.deepEqual((await account.client.get('/v1/tasks')).body.items, []);
  assert.deepEqual(await balanceOf(account), { available: 4, reserved: 0, mode: 'live' });
});
