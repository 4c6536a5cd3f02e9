/** The double refuses and forgets as Replicate is known to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplicateDouble } from './double.ts';
import { refusalOf } from './rules.ts';

const prompt = 'a red door';
const url = 'https://cdn.example.test/a.png';

const refusals: readonly (readonly [why: string, input: object])[] = [
  ['no prompt', {}],
  ['an input it does not know', { prompt, watermark: true }],
  ['31 seconds', { prompt, duration: 31 }],
  ['a duration in words', { prompt, duration: '5' }],
  ['a resolution it does not make', { prompt, resolution: '8k' }],
  ['a last frame alone', { prompt, last_frame_image: url }],
  ['frames mixed with references', { prompt, image: url, reference_images: [url] }],
  ['sound alone', { prompt, reference_audios: [url] }],
  ['ten images', { prompt, reference_images: Array(10).fill(url) }],
];
for (const [why, input] of refusals) {
  test(`refuses ${why}`, () => assert.equal(refusalOf({ input }, {})?.status, 422));
}

test('takes a deadline in any of its forms, and nothing else for one', () => {
  const refusal = (deadline: string) =>
    refusalOf({ input: { prompt } }, { 'cancel-after': deadline });
  for (const deadline of ['30m', '90s', '1h30m45s', '60']) assert.equal(refusal(deadline), null);
  assert.equal(refusal('soon')?.status, 400);
});

test('shows when it ran and what it ran for, and no data after an hour', async () => {
  await using double = await ReplicateDouble.start();
  const { id } = double.add({ model: 'bytedance/seedance-2.0', input: { prompt } });
  assert.partialDeepStrictEqual(double.shown(id), { started_at: null, metrics: {} });
  double.advance(id, 'processing');
  double.advance(id, 'succeeded');
  const shown = double.shown(id) as { metrics: { predict_time: number }; output: string };
  assert.ok(shown.metrics.predict_time > 0);
  assert.match(shown.output, /^https:\/\/replicate\.delivery\//);
  double.advance(id, 'succeeded', { dataRemoved: true });
  assert.partialDeepStrictEqual(double.shown(id), { data_removed: true, output: null, input: {} });
});

test('what is canceled or aborted before it began has not run', async () => {
  await using double = await ReplicateDouble.start();
  for (const status of ['canceled', 'aborted']) {
    const { id } = double.add({ model: 'bytedance/seedance-2.0', input: { prompt } });
    double.advance(id, status);
    assert.partialDeepStrictEqual(double.shown(id), { status, started_at: null, metrics: {} });
  }
});
