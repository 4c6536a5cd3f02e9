/** The input that is sent, and the generations that are refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { fakeModels } from '../../../proof/kit/fal/fake.ts';
import { appOf, endpointOf, inputOf, unsupportedReason } from './inputs.ts';

const rules = { forwardSeed: true, fields: {} };
const urls = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://cdn.example.test/${index}`);
const references = { generationType: 'reference-to-video' } as const;

test('sends every field that has a default', () => {
  const generation = sampleGeneration({ aspectRatio: 'adaptive', prompt: 'a fox --dur 30' });
  assert.deepEqual(inputOf(generation, rules), {
    prompt: 'a fox —dur 30',
    duration: '5',
    aspect_ratio: 'auto',
    resolution: '720p',
    generate_audio: true,
  });
});

test('sends frames and references under their own names', () => {
  const frames = { generationType: 'image-to-video', imageUrls: urls(2) } as const;
  const [first, last] = urls(2);
  assert.deepEqual(inputOf(sampleGeneration({ ...frames, seed: 0 }), rules), {
    ...inputOf(sampleGeneration({ seed: 0 }), rules),
    image_url: first,
    end_image_url: last,
  });
  const files = { ...references, imageUrls: urls(1), videoUrls: urls(2), audioUrls: urls(1) };
  assert.deepEqual(inputOf(sampleGeneration(files), rules), {
    ...inputOf(sampleGeneration(), rules),
    image_urls: urls(1),
    video_urls: urls(2),
    audio_urls: urls(1),
  });
});

test('sends the configured fields, which cannot replace those of the task', () => {
  const fields = { bitrate_mode: 'high', duration: '15' };
  const input = inputOf(sampleGeneration(), { ...rules, fields });
  assert.partialDeepStrictEqual(input, { bitrate_mode: 'high', duration: '5' });
});

test('sends a task for edits with model 2.5 only', () => {
  const taskOf = (change: Partial<Generation>) =>
    inputOf(sampleGeneration({ ...references, model: 'vidgen-2-5', ...change }), rules).task;
  assert.equal(taskOf({ duration: -1, videoUrls: urls(1) }), 'editing');
  assert.equal(taskOf({ videoUrls: urls(1), audioUrls: urls(1) }), undefined);
  assert.equal(taskOf({ videoUrls: urls(1), imageUrls: urls(1) }), undefined);
  assert.equal(taskOf({ model: 'vidgen-2-0', videoUrls: urls(1) }), undefined);
});

test('finds the endpoint of a generation type and the app of its requests', () => {
  const models = { 'vidgen-2-0': { 'text-to-video': 'acme/wan/t2v' }, 'vidgen-2-5': 'b/s/us' };
  const of = (change: Partial<Generation>) => endpointOf(models, sampleGeneration(change));
  assert.equal(of({}), 'acme/wan/t2v');
  assert.equal(of({ generationType: 'image-to-video' }), undefined);
  assert.equal(of({ model: 'vidgen-2-5' }), 'b/s/us/text-to-video');
  assert.equal(of({ model: 'vidgen-2-0-mini' }), undefined);
  assert.equal(appOf('b/s/us/text-to-video'), 'b/s');
  assert.equal(appOf('workflows/acme/flow/run'), 'workflows/acme/flow');
});

test('refuses what the input cannot express', () => {
  const unsupported = (change: Partial<Generation>) =>
    unsupportedReason(sampleGeneration(change), fakeModels);
  assert.equal(unsupported({ watermark: true }), 'input.watermark true is not supported');
  const files = { ...references, imageUrls: urls(9), videoUrls: urls(3), audioUrls: urls(1) };
  assert.match(unsupported(files)!, /13 files is not supported \(at most 12\)$/);
  assert.equal(unsupported({ ...files, model: 'vidgen-2-5' }), null);
});
