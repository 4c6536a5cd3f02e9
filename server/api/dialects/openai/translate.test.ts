/** Requests in OpenAI's format as our own create: sizes, seconds, models and sources. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CreateVideoRequest } from '@vidgen/contract/openai-videos.ts';
import { createCatalog } from '../../../catalog/catalog.ts';
import { checkGeneration } from '../../../catalog/check.ts';
import { fieldsOfForm } from './form-fields.ts';
import { translateCreate, translateEdit } from './translate.ts';

const catalog = createCatalog({ aliases: { 'sora-2': 'vidgen-2-0-mini' } });
const prompt = 'A paper boat';
const translate = (body: object) =>
  translateCreate(catalog, CreateVideoRequest.parse({ prompt, ...body })).body;

/** Sent, duration. */
const seconds = [
  [{}, 4],
  [{ seconds: '8' }, 8],
  [{ seconds: 12 }, 12],
  [{ seconds: '7.6' }, 8],
] as const;

describe('seconds are rounded to whole ones', () => {
  for (const [body, duration] of seconds) {
    test(`${JSON.stringify(body)} is ${duration}`, () => {
      assert.equal(translate(body).input.duration, duration);
    });
  }
  for (const wrong of ['', 'long', '-1', -1, '1e1', Number.NaN]) {
    test(`${wrong} is rejected by name`, () => {
      assert.throws(() => translate({ seconds: String(wrong) }), {
        message: /^seconds must be a number of seconds/,
      });
    });
  }
});

describe('the model', () => {
  test('may be a name of ours, an alias or left out', () => {
    assert.equal(translate({ model: 'vidgen-2-5' }).model, 'vidgen-2-5');
    assert.equal(translate({ model: 'sora-2' }).model, 'vidgen-2-0-mini');
    assert.equal(translate({}).model, 'vidgen-2-0-mini');
  });

  test('must be named where sora-2 is no alias', () => {
    assert.throws(() => translateCreate(createCatalog(), { prompt }), {
      message: /^model is required: one of vidgen-2-5, /,
    });
  });

  test('that does not render the size is named with it', () => {
    assert.throws(() => translate({ size: '1024x1792' }), {
      message:
        'size must be one of 480p, 720p for vidgen-2-0-mini ' + '(got "1024x1792", which is 1080p)',
    });
    assert.equal(translate({ model: 'vidgen-2-5', size: '1024x1792' }).input.resolution, '1080p');
  });
});

describe('an image', () => {
  const input_reference = { image_url: 'https://a.example/boat.png' };

  test('is the first frame', () => {
    const { input } = translate({ input_reference, size: '1280x720' });
    assert.deepEqual(
      [input.generation_type, input.image_urls, input.aspect_ratio],
      ['image-to-video', [input_reference.image_url], '16:9'],
    );
  });

  test('decides the aspect ratio where the model demands it', () => {
    const { input } = translate({ input_reference, model: 'vidgen-2-5' });
    assert.equal(input.aspect_ratio, 'adaptive');
  });

  test('needs a URL', () => {
    assert.throws(() => translate({ input_reference: {} }), { message: /image_url is required/ });
  });
});

describe('an edit or an extension', () => {
  const url = 'https://a.example/street.mp4';

  test('is rendered by a model that edits videos, at the resolution of the source', () => {
    const source = { url, model: 'vidgen-2-0', resolution: '480p' } as const;
    const { model, input } = translateEdit(catalog, { prompt, video: { id: 'x' } }, source);
    assert.deepEqual(
      [model, input.duration, input.resolution, input.video_urls],
      ['vidgen-2-5', -1, '480p', [url]],
    );
    const fourK = { ...source, resolution: '4k' } as const;
    assert.equal(translateEdit(catalog, { prompt, video: {} }, fourK).input.resolution, '720p');
  });

  test('has the seconds of its request', () => {
    const body = { prompt, video: { url }, seconds: '8' };
    assert.equal(translateEdit(catalog, body, { url }).input.duration, 8);
  });

  test('needs a model that edits videos', () => {
    const without = createCatalog({ models: { 'vidgen-2-5': null } });
    assert.throws(() => translateEdit(without, { prompt, video: { url } }, { url }), {
      message: /^model is required: no model of this installation edits videos$/,
    });
  });
});

test('what is translated is accepted by our own create', () => {
  const context = { catalog, checkUrl: () => ({ ok: true }) as const };
  const url = 'https://a.example/street.mp4';
  for (const body of [
    translate({}),
    translate({ input_reference: { image_url: url }, model: 'vidgen-2-5' }),
    translateEdit(catalog, { prompt, video: { url } }, { url }),
    translateEdit(catalog, { prompt, video: { url }, seconds: 6 }, { url }),
  ]) {
    const checked = checkGeneration(body, context);
    assert(checked.ok, checked.ok ? '' : checked.message);
  }
});

test('in a form, a file stands for its URL, and names with brackets are objects and lists', () => {
  for (const [body, expected = body] of [
    [
      { prompt: 'x', video: 'u' },
      { prompt: 'x', video: { url: 'u' } },
    ],
    [{ video: 'u', 'video[id]': 'i' }, { video: { url: 'u', id: 'i' } }],
    [{ video: { id: 'i' } }],
    [{ 'metadata[order-1]': 'i' }, { metadata: { 'order-1': 'i' } }],
    [{ images: 'a' }, { images: ['a'] }],
    [{ images: ['a', 'b'], 'images[]': 'c' }, { images: ['a', 'b', 'c'] }],
    [{ 'images[][image_url]': ['a', 'b'] }, { images: [{ image_url: 'a' }, { image_url: 'b' }] }],
    [{ 'video[a][b]': 'c' }],
    [{ video: ['u', 'v'] }],
    ['text'],
    [null],
  ] as const) {
    const kinds = { objects: { video: 'url' }, lists: ['images'] };
    assert.deepEqual(fieldsOfForm(body, kinds), expected);
  }
});
