/** The fake rejects and forgets as Replicate does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeReplicate } from './fake.ts';
import { validate } from './rules.ts';

const prompt = 'a red door';
const url = 'https://cdn.example.test/a.png';

const rejections: readonly (readonly [why: string, input: object])[] = [
  ['no prompt', {}],
  ['an unknown input', { prompt, watermark: true }],
  ['31 seconds', { prompt, duration: 31 }],
  ['a duration as text', { prompt, duration: '5' }],
  ['an unknown resolution', { prompt, resolution: '8k' }],
  ['a last frame alone', { prompt, last_frame_image: url }],
  ['frames mixed with references', { prompt, image: url, reference_images: [url] }],
  ['audio alone', { prompt, reference_audios: [url] }],
  ['ten images', { prompt, reference_images: Array(10).fill(url) }],
];
for (const [why, input] of rejections) {
  test(`rejects ${why}`, () => assert.equal(validate({ input }, {})?.status, 422));
}

test('accepts every format of a deadline, and nothing else', () => {
  const rejection = (deadline: string) =>
    validate({ input: { prompt } }, { 'cancel-after': deadline });
  for (const deadline of ['30m', '90s', '1h30m45s', '60']) assert.equal(rejection(deadline), null);
  assert.equal(rejection('soon')?.status, 400);
});

test('shows start time and run time, and no data after an hour', async () => {
  await using fake = await FakeReplicate.start();
  const { id } = fake.add({ model: 'bytedance/seedance-2.0', input: { prompt } });
  assert.partialDeepStrictEqual(fake.shown(id), { started_at: null, metrics: {} });
  fake.advance(id, 'processing');
  fake.advance(id, 'succeeded');
  const shown = fake.shown(id) as { metrics: { predict_time: number }; output: string };
  assert.ok(shown.metrics.predict_time > 0);
  assert.match(shown.output, /^https:\/\/replicate\.delivery\//);
  fake.advance(id, 'succeeded', { dataRemoved: true });
  assert.partialDeepStrictEqual(fake.shown(id), { data_removed: true, output: null, input: {} });
});

test('a prediction that is canceled or aborted before it starts has no run time', async () => {
  await using fake = await FakeReplicate.start();
  for (const status of ['canceled', 'aborted']) {
    const { id } = fake.add({ model: 'bytedance/seedance-2.0', input: { prompt } });
    fake.advance(id, status);
    assert.partialDeepStrictEqual(fake.shown(id), { status, started_at: null, metrics: {} });
  }
});
