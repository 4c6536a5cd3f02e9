/** Requests in OpenRouter's format as our own create. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CreateVideoJobRequest } from '@vidgen/contract/openrouter-videos.ts';
import { createCatalog } from '../../../catalog/catalog.ts';
import { checkGeneration } from '../../../catalog/check.ts';
import { translateJob } from './translate.ts';

const catalog = createCatalog({ aliases: { 'bytedance/seedance-2.0': 'vidgen-2-0' } });
const frame = (frame_type: string, url = `https://a.example/${frame_type}.png`) => ({
  type: 'image_url',
  image_url: { url },
  frame_type,
});

const translate = (body: object) =>
  translateJob(
    catalog,
    CreateVideoJobRequest.parse({ model: 'vidgen-2-0', prompt: 'A boat', ...body }),
  );
const inputOf = (body: object) => (translate(body).body as { input: object }).input;

const inputs: readonly (readonly [string, object, object])[] = [
  ['nothing but the prompt', {}, {}],
  ['a duration', { duration: 8 }, { duration: 8 }],
  ['a size', { size: '1920x1080' }, { resolution: '1080p', aspect_ratio: '16:9' }],
  [
    'a resolution and an aspect ratio',
    { resolution: '768p', aspect_ratio: '1:1' },
    { resolution: '720p', aspect_ratio: '1:1' },
  ],
  ['4K', { resolution: '4K' }, { resolution: '4k' }],
  ['seed and audio', { seed: 7, generate_audio: false }, { seed: 7, generate_audio: false }],
  [
    'frames in any order',
    { frame_images: [frame('last_frame'), frame('first_frame')] },
    {
      generation_type: 'image-to-video',
      image_urls: ['https://a.example/first_frame.png', 'https://a.example/last_frame.png'],
    },
  ],
  [
    'references',
    {
      input_references: [
        { type: 'video_url', video_url: { url: 'https://a.example/v.mp4' } },
        { type: 'image_url', image_url: { url: 'https://a.example/i.png' } },
        { type: 'audio_url', audio_url: { url: 'https://a.example/a.mp3' } },
      ],
    },
    {
      generation_type: 'reference-to-video',
      video_urls: ['https://a.example/v.mp4'],
      image_urls: ['https://a.example/i.png'],
      audio_urls: ['https://a.example/a.mp3'],
    },
  ],
  [
    'a size with a first frame that decides the aspect ratio',
    { model: 'vidgen-2-5', size: '1280x720', frame_images: [frame('first_frame')] },
    {
      generation_type: 'image-to-video',
      image_urls: ['https://a.example/first_frame.png'],
      resolution: '720p',
      aspect_ratio: 'adaptive',
    },
  ],
];

describe('is translated, and accepted by our own create', () => {
  for (const [what, sent, expected] of inputs) {
    test(what, () => {
      assert.deepEqual(inputOf(sent), { prompt: 'A boat', ...expected });
      const context = { catalog, checkUrl: () => ({ ok: true }) as const };
      const checked = checkGeneration(translate(sent).body, context);
      assert(checked.ok, checked.ok ? '' : checked.message);
    });
  }

  test('an alias', () => {
    const { body } = translate({ model: 'bytedance/seedance-2.0' });
    assert.equal((body as { model: string }).model, 'vidgen-2-0');
  });
});

const rejected: readonly (readonly [string, object, RegExp])[] = [
  ['2K', { resolution: '2K' }, /^resolution must be one of 480p, .* \(got "2K"\)$/],
  ['an edit in disguise', { duration: -1 }, /^duration must be at least 0/],
  ['only a last frame', { frame_images: [frame('last_frame')] }, /contain a first_frame$/],
  [
    'two first frames',
    { frame_images: [frame('first_frame'), frame('first_frame')] },
    /one image per frame_type \(got 2\)$/,
  ],
  [
    'frames and references',
    {
      frame_images: [frame('first_frame')],
      input_references: [{ type: 'image_url', image_url: { url: 'https://a.example/i.png' } }],
    },
    /^input_references must be omitted with frame_images$/,
  ],
  [
    'a reference without its URL',
    { input_references: [{ type: 'video_url', image_url: { url: 'https://a.example/i.png' } }] },
    /^input_references\[0\]\.video_url is required$/,
  ],
];

describe('is rejected by name', () => {
  for (const [what, sent, message] of rejected) {
    test(what, () => assert.throws(() => translate(sent), { code: 'invalid_request', message }));
  }
});

test('errors name the field that the client sent', () => {
  const references = translate({
    input_references: [
      { type: 'video_url', video_url: { url: 'https://a.example/v.mp4' } },
      { type: 'image_url', image_url: { url: 'https://a.example/i.png' } },
    ],
  });
  assert.equal(references.fieldNames['image_urls[0]'], 'input_references[1].image_url.url');
  const frames = translate({ frame_images: [frame('last_frame'), frame('first_frame')] });
  assert.equal(frames.fieldNames['image_urls[0]'], 'frame_images[1].image_url.url');
  assert.equal(translate({ size: '1280x720' }).fieldNames.resolution, 'size');
});
