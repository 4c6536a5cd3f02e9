/**
 * docs/spec.md 4.3.2 to 4.3.5: how many materials each generation type takes and which fields it
 * ignores.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { catalog, checkUrl, table, urls } from '../../proof/kit/rule-table.ts';
import { checkGeneration } from './check.ts';

const image = 'image-to-video';
const reference = 'reference-to-video';

table('docs/spec.md 4.3.2: image-to-video', [
  { rule: 'one image', input: { generation_type: image, image_urls: urls(1) } },
  {
    rule: 'no image_urls',
    input: { generation_type: image },
    expectedError: 'input.image_urls must contain 1 or 2 images for image-to-video (got 0)',
  },
  {
    rule: 'three images',
    input: { generation_type: image, image_urls: urls(3) },
    expectedError: 'input.image_urls must contain 1 or 2 images for image-to-video (got 3)',
  },
  {
    rule: 'videos and audio of any kind are ignored',
    input: { generation_type: image, image_urls: urls(1), video_urls: ['x'], audio_urls: urls(9) },
  },
  {
    rule: 'an image URL that egress rejects',
    input: { generation_type: image, image_urls: ['https://a.example/', 'https://private/'] },
    expectedError: 'input.image_urls[1] must not be private (got "https://private/")',
  },
  {
    rule: 'model 2.5 takes nothing but adaptive',
    input: { generation_type: image, image_urls: urls(1), aspect_ratio: '16:9' },
    expectedError:
      'input.aspect_ratio must be adaptive for image-to-video with vidgen-2-5 (got "16:9")',
  },
  {
    rule: 'model 2.0 takes the others too',
    model: 'vidgen-2-0',
    input: { generation_type: image, image_urls: urls(1), aspect_ratio: '16:9' },
  },
]);

const noReference =
  'input.image_urls, input.video_urls or input.audio_urls must contain at least one reference ' +
  'for reference-to-video (got none)';

table('docs/spec.md 4.3.3: reference-to-video', [
  { rule: 'an image', input: { generation_type: reference, image_urls: urls(1) } },
  { rule: 'a video', input: { generation_type: reference, video_urls: urls(1) } },
  { rule: 'no reference', input: { generation_type: reference }, expectedError: noReference },
  {
    rule: 'model 2.5 takes audio alone',
    input: { generation_type: reference, audio_urls: urls(1) },
  },
  {
    rule: 'model 2.0 does not take audio alone',
    model: 'vidgen-2-0-fast',
    input: { generation_type: reference, audio_urls: urls(1) },
    expectedError:
      'input.audio_urls needs at least one image or video with it for vidgen-2-0-fast ' +
      '(got audio only)',
  },
  {
    rule: 'model 2.0 takes audio with an image',
    model: 'vidgen-2-0',
    input: { generation_type: reference, audio_urls: urls(1), image_urls: urls(1) },
  },
  {
    rule: 'every list is checked',
    input: {
      generation_type: reference,
      image_urls: ['https://private/1'],
      video_urls: ['https://private/2'],
      audio_urls: ['https://private/3'],
    },
    expectedError: ['image', 'video', 'audio']
      .map((kind, index) => {
        const url = `https://private/${index + 1}`;
        return `input.${kind}_urls[0] must not be private (got "${url}")`;
      })
      .join('; '),
  },
]);

const lists = (images: number, videos: number, audios: number) => ({
  generation_type: reference,
  image_urls: urls(images, 'image'),
  video_urls: urls(videos, 'video'),
  audio_urls: urls(audios, 'audio'),
});

table('docs/spec.md 4.3.4: material limits of model 2.5', [
  { rule: '30 images, 10 videos, 10 audio files: 50 in total', input: lists(30, 10, 10) },
  {
    rule: '31 images',
    input: lists(31, 0, 0),
    expectedError: 'input.image_urls must contain at most 30 images for vidgen-2-5 (got 31)',
  },
  {
    rule: '11 videos',
    input: lists(0, 11, 0),
    expectedError: 'input.video_urls must contain at most 10 videos for vidgen-2-5 (got 11)',
  },
  {
    rule: '11 audio files',
    input: lists(0, 0, 11),
    expectedError: 'input.audio_urls must contain at most 10 audio files for vidgen-2-5 (got 11)',
  },
  {
    rule: '51 materials in total',
    input: lists(30, 10, 11),
    expectedError:
      'input.audio_urls must contain at most 10 audio files for vidgen-2-5 (got 11); ' +
      'the total number of materials must be at most 50 for vidgen-2-5 (got 51)',
  },
]);

table('docs/spec.md 4.3.5: material limits of model 2.0', [
  { rule: '9 images, 3 videos, 3 audio files', model: 'vidgen-2-0', input: lists(9, 3, 3) },
  ...['vidgen-2-0', 'vidgen-2-0-fast', 'vidgen-2-0-mini'].map((model) => ({
    rule: `one more of each with ${model}`,
    model,
    input: lists(10, 4, 4),
    expectedError:
      `input.image_urls must contain at most 9 images for ${model} (got 10); ` +
      `input.video_urls must contain at most 3 videos for ${model} (got 4); ` +
      `input.audio_urls must contain at most 3 audio files for ${model} (got 4)`,
  })),
]);

describe('ignored fields', () => {
  const ignoredOf = (input: object) => {
    const body = { model: 'vidgen-2-5', input: { prompt: 'x', ...input } };
    const checked = checkGeneration(body, { catalog, checkUrl });
    assert(checked.ok);
    return { ignored: checked.ignored, generation: checked.request.generation };
  };

  test('text-to-video names all lists that are not empty and keeps none', () => {
    const { ignored, generation } = ignoredOf({
      image_urls: ['x'],
      video_urls: [],
      audio_urls: ['y'],
    });
    assert.deepEqual(ignored, ['input.image_urls', 'input.audio_urls']);
    assert.deepEqual(generation.imageUrls, []);
    assert.deepEqual(generation.audioUrls, []);
  });

  test('image-to-video names videos and audio and keeps the images', () => {
    const { ignored, generation } = ignoredOf({ ...lists(1, 1, 1), generation_type: image });
    assert.deepEqual(ignored, ['input.video_urls', 'input.audio_urls']);
    assert.equal(generation.imageUrls.length, 1);
    assert.deepEqual(generation.videoUrls, []);
  });

  test('reference-to-video ignores nothing', () => {
    assert.deepEqual(ignoredOf(lists(1, 1, 1)).ignored, []);
  });
});
