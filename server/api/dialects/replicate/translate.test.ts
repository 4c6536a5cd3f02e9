/** Predictions of Replicate's clients as our own create. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CreatePredictionRequest } from '@vidgen/contract/replicate-predictions.ts';
import { createCatalog } from '../../../catalog/catalog.ts';
import { checkGeneration } from '../../../catalog/check.ts';
import { parseBody } from '../../http/parse-request.ts';
import { renameFields } from '../translated-create.ts';
import { findOwnedModel, translatePrediction } from './translate.ts';

const declared = {
  generationTypes: ['text-to-video', 'image-to-video', 'reference-to-video'] as const,
  seconds: { min: 2, max: 10 },
  resolutions: { '480p': { perSecond: 1 }, '768p': { perSecond: 2 } },
  frames: { last: true },
  references: { images: 2, videos: 1 },
  seed: true,
  options: { negative_prompt: { type: 'text', max: 100 } as const },
};
const models = { 'acme/tiny': { ...declared, generationTypes: [...declared.generationTypes] } };
const aliases = { 'bytedance/seedance-2.0': 'vidgen-2-0', 'vidgen/tiny': 'acme/tiny' };
const catalog = createCatalog({ models, aliases });
const checkUrl = (text: string) =>
  text.includes('private')
    ? ({ ok: false, rule: 'must be public' } as const)
    : ({ ok: true } as const);

function accept(sent: object, [owner, name] = ['acme', 'tiny']) {
  const request = parseBody(CreatePredictionRequest, sent);
  const model = findOwnedModel(catalog, [owner!, name!]);
  const { body, fieldNames, dialect } = translatePrediction(model, request);
  const checked = checkGeneration(body, { catalog, checkUrl });
  assert(checked.ok, checked.ok ? '' : renameFields(checked.message, fieldNames));
  return { ...checked.request, dialect };
}

const prompt = 'A boat';
const url = (name: string) => `https://a.example/${name}`;

const accepted: readonly (readonly [string, object, object])[] = [
  ['an option of the model', { negative_prompt: 'rain' }, { options: { negative_prompt: 'rain' } }],
  [
    'fields with our names',
    { duration: 4, aspect_ratio: '1:1', seed: 7, generate_audio: false },
    { duration: 4, aspectRatio: '1:1', seed: 7, generateAudio: false },
  ],
  ['a resolution in capitals', { resolution: '768P' }, { resolution: '768p' }],
  ['a size', { size: '1366x768' }, { resolution: '768p', aspectRatio: '16:9' }],
  ['a resolution beside a size', { size: '900x1600', resolution: '480p' }, { resolution: '480p' }],
  ...(['image', 'start_image', 'first_frame_image'] as const).flatMap((first) =>
    (['last_frame_image', 'last_frame', 'end_image'] as const).map(
      (last) =>
        [
          `${first} and ${last}`,
          { [last]: url('b.png'), [first]: url('a.png') },
          { generationType: 'image-to-video', imageUrls: [url('a.png'), url('b.png')] },
        ] as const,
    ),
  ),
  [
    'references',
    { reference_videos: [url('v.mp4')], reference_images: [url('i.png'), url('j.png')] },
    {
      generationType: 'reference-to-video',
      imageUrls: [url('i.png'), url('j.png')],
      videoUrls: [url('v.mp4')],
    },
  ],
];

describe('is accepted by our own create', () => {
  for (const [what, input, expected] of accepted) {
    test(what, () => {
      const { generation } = accept({ input: { prompt, ...input } });
      assert.partialDeepStrictEqual(generation, { model: 'acme/tiny', prompt, ...expected });
    });
  }

  test('a size with a first frame that decides the aspect ratio', () => {
    const input = { prompt, size: '1280x720', image: url('a.png') };
    assert.equal(accept({ input }, ['vidgen', 'vidgen-2-5']).generation.aspectRatio, 'adaptive');
  });

  test('a webhook, which makes the task one of Replicate', () => {
    const events = { webhook_events_filter: ['start', 'completed'], stream: false };
    const { callbackUrl, dialect } = accept({ input: { prompt }, webhook: url('hook'), ...events });
    assert.deepEqual([callbackUrl, dialect?.name], [url('hook'), 'replicate']);
    assert.equal(accept({ input: { prompt } }).dialect, undefined);
  });
});

test('a model is found by its whole name, an alias, or without the owner vidgen', () => {
  const foundName = (owner: string, name: string) => findOwnedModel(catalog, [owner, name]).name;
  assert.equal(foundName('bytedance', 'seedance-2.0'), 'vidgen-2-0');
  assert.equal(foundName('vidgen', 'vidgen-2-0'), 'vidgen-2-0');
  assert.equal(foundName('vidgen', 'tiny'), 'acme/tiny', 'the alias wins');
  const expected = { code: 'not_found', message: /^model "acme\/vidgen-2-0" is not served here/ };
  assert.throws(() => foundName('acme', 'vidgen-2-0'), expected);
});

const rejected: readonly (readonly [string, object, RegExp])[] = [
  ['an unknown field', { fps: 24 }, /^input\.fps is not an option of acme\/tiny, which has neg/],
  ['an edit in disguise', { duration: -1 }, /^input\.duration must be at least 0/],
  ['a length', { duration: 11 }, /^input\.duration must be 2 to 10 for acme\/tiny/],
  ['a size', { size: 'large' }, /^input\.size must be WIDTHxHEIGHT/],
  ['a resolution by its size', { size: '3840x2160' }, /^input\.size must be .*\(got "4k"\)/],
  ['only a last frame', { end_image: url('b.png') }, /^input\.end_image needs a first frame/],
  ['two first frames', { image: 'a', start_image: 'b' }, /^input\.start_image must be omitted/],
  [
    'frames and references',
    { image: url('a.png'), reference_videos: [url('v.mp4')] },
    /^input\.reference_videos\[0\] must be omitted with input\.image$/,
  ],
  [
    'a URL',
    { image: url('a.png'), last_frame: 'https://private/b.png' },
    /^input\.last_frame must be public/,
  ],
  ['too many', { reference_images: ['a', 'b', 'c'].map(url) }, /^input\.reference_images must/],
];

describe('is rejected by the name that the client sent', () => {
  for (const [what, input, message] of rejected) {
    test(what, () => assert.throws(() => accept({ input: { prompt, ...input } }), { message }));
  }

  test('a webhook', () => {
    const webhook = 'https://private/hook';
    const message = /^webhook must be public/;
    assert.throws(() => accept({ input: { prompt }, webhook }), { message });
    const events = { webhook_events_filter: ['logs'] };
    assert.throws(() => accept({ input: { prompt }, ...events }), { message: /contain completed/ });
  });
});
