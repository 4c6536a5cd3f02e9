/** The input that is sent, and the generations that are refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import {
  inputOf,
  type ReplicateInputRules,
  seedanceInputs,
  seedanceLimits,
  seedanceRules,
  unsupportedReason,
} from './inputs.ts';

const rules = (change: Partial<ReplicateInputRules> = {}): ReplicateInputRules => ({
  names: seedanceInputs,
  limits: seedanceLimits,
  fields: {},
  ...change,
});
const urls = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://cdn.example.test/${index}`);

test('sends every field that has a default in the contract', () => {
  assert.deepEqual(inputOf(sampleGeneration({ aspectRatio: 'adaptive', seed: -1 }), rules()), {
    prompt: 'A paper boat drifts on a quiet lake',
    duration: 5,
    resolution: '720p',
    aspect_ratio: 'adaptive',
    generate_audio: true,
  });
});

test('uses the configured names and fields, which cannot replace those of the task', () => {
  const names = { ...seedanceInputs, prompt: 'text', firstFrame: 'start_image', seed: null };
  const given = rules({ names, fields: { fps: 24, duration: 99 } });
  const generation = sampleGeneration({
    ...{ generationType: 'image-to-video', imageUrls: urls(1), seed: 7 },
  });
  assert.deepEqual(inputOf(generation, given), {
    fps: 24,
    text: generation.prompt,
    duration: 5,
    resolution: '720p',
    aspect_ratio: '16:9',
    generate_audio: true,
    start_image: urls(1)[0],
  });
});

const references = { generationType: 'reference-to-video' } as const;
const unsupportedCases: readonly (readonly [Partial<Generation>, string])[] = [
  [{ watermark: true }, 'input.watermark true is not supported'],
  [{ duration: 16 }, 'input.duration 16 is not supported (at most 15)'],
  [
    { prompt: 'x'.repeat(4_001) },
    'input.prompt with 4001 characters is not supported (at most 4000)',
  ],
  [
    { ...references, imageUrls: urls(10) },
    'input.image_urls with 10 items is not supported (at most 9)',
  ],
  [
    { ...references, audioUrls: urls(1) },
    'input.audio_urls without an image or video is not supported',
  ],
];
for (const [change, expected] of unsupportedCases) {
  test(`refuses: ${expected}`, () => {
    assert.equal(unsupportedReason(sampleGeneration(change), rules()), expected);
  });
}

test('refuses what a model has no input for', () => {
  const names = { ...seedanceInputs, lastFrame: null, videos: null };
  const unsupported = (change: Partial<Generation>) =>
    unsupportedReason(sampleGeneration(change), rules({ names }));
  const frames = { generationType: 'image-to-video', imageUrls: urls(2) } as const;
  assert.match(unsupported(frames) ?? '', /^input\.image_urls with a last frame/);
  assert.equal(unsupported({ ...frames, imageUrls: urls(1) }), null);
  assert.equal(
    unsupported({ ...references, videoUrls: urls(1) }),
    'input.video_urls is not supported',
  );
});

const rulesOf = (model: ModelName) => rules(seedanceRules(model));

test('allows what the schema of model 2.5 does, and no more', () => {
  const unsupported = (change: Partial<Generation>) =>
    unsupportedReason(sampleGeneration(change), rulesOf('vidgen-2-5'));
  assert.equal(unsupported({ watermark: true, duration: 30, prompt: 'x'.repeat(10_000) }), null);
  assert.equal(unsupported({ ...references, imageUrls: urls(30), videoUrls: urls(10) }), null);
  assert.equal(unsupported({ resolution: '1080p' }), 'input.resolution 1080p is not supported');
  const input = inputOf(sampleGeneration({ watermark: true }), rulesOf('vidgen-2-5'));
  assert.equal(input.watermark, true);
  assert.ok(!('watermark' in inputOf(sampleGeneration(), rulesOf('vidgen-2-0'))));
});

test('sends frames and references under the names of Seedance', () => {
  const plain = inputOf(sampleGeneration(), rules());
  const [first, last] = urls(2);
  const frames = { generationType: 'image-to-video', imageUrls: urls(2) } as const;
  const framed = { ...plain, image: first, last_frame_image: last };
  assert.deepEqual(inputOf(sampleGeneration(frames), rules()), framed);
  const files = { ...references, imageUrls: urls(1), videoUrls: urls(2), audioUrls: urls(1) };
  assert.deepEqual(inputOf(sampleGeneration(files), rules()), {
    ...plain,
    reference_images: urls(1),
    reference_videos: urls(2),
    reference_audios: urls(1),
  });
});
