/** What is sent to OpenRouter, what it cannot make, and how its jobs end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import {
  sampleGeneration,
  sampleStart,
  startGeneration,
} from '../../../proof/kit/conformance-fixture.ts';
import { withFake } from '../../../proof/kit/openai-videos/fixture.ts';
import { openRouterBody } from './openrouter.ts';

const urls = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://cdn.example.test/${index}`);
const options = { model: 'a/b', size: null, fields: {}, forwardSeed: true };
const bodyOf = (change: Partial<Generation>, request = {}) =>
  openRouterBody(sampleStart(change, request), options);

test('sends resolution, ratio and length under its own names, as JSON', () =>
  withFake('openrouter', async (fake, provider) => {
    await startGeneration({ provider }, { seed: 0, generateAudio: false, prompt: 'a --dur 30' });
    const { isForm, fields } = fake.videos()[0]!.create;
    assert.ok(!isForm);
    assert.deepEqual(fields, {
      model: 'bytedance/seedance-2.0',
      prompt: 'a —dur 30',
      duration: 5,
      resolution: '720p',
      aspect_ratio: '16:9',
      generate_audio: false,
      seed: 0,
    });
  }));

test('leaves the ratio and audio to the model unless the task says otherwise', () => {
  const body = bodyOf({ aspectRatio: 'adaptive', resolution: '4k' });
  assert.ok(!('aspect_ratio' in body) && !('generate_audio' in body));
  assert.partialDeepStrictEqual(body, { resolution: '4K' });
});

test('sends the configured size instead of resolution and ratio', () =>
  withFake(
    'openrouter',
    async (fake, provider) => {
      await startGeneration({ provider });
      const { size, resolution } = fake.videos()[0]!.create.fields;
      assert.deepEqual([size, resolution], ['1280x704', undefined]);
    },
    { adapter: { sizes: { 'vidgen-2-0': { '720p': { '16:9': '1280x704' } } } } },
  ));

test('refuses videos and audio files with models that would ignore them', () =>
  withFake('openrouter', async (_, provider) => {
    const unsupported = (change: Partial<Generation>) =>
      provider.unsupportedReason!(
        sampleGeneration({ generationType: 'reference-to-video', ...change }),
      );
    const other = { model: 'vidgen-2-0-mini' } as const;
    assert.equal(unsupported({ videoUrls: urls(1), audioUrls: urls(1) }), null);
    assert.equal(unsupported({ ...other, imageUrls: urls(2) }), null);
    assert.equal(
      unsupported({ ...other, videoUrls: urls(1) }),
      'input.video_urls is not supported',
    );
    const withAudio = { ...other, imageUrls: urls(1), audioUrls: urls(1) };
    assert.equal(unsupported(withAudio), 'input.audio_urls is not supported');
    const edit = { duration: -1, videoUrls: urls(1) };
    assert.equal(unsupported(edit), 'input.duration -1 is not supported');
  }));
