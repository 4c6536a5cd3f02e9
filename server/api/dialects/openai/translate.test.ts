/** Requests in OpenAI's format as our own create: sizes, seconds, models and sources. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CreateVideoRequest } from '@vidgen/contract/openai-videos.ts';
import { createCatalog } from '../../../catalog/catalog.ts';
import { checkGeneration } from '../../../catalog/check.ts';
import { renameFields } from '../translated-create.ts';
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
      message: /^model is required; GET \/v1\/models lists /,
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

/** One that is declared, with what it takes. */
const kling = createCatalog({
  models: {
    'kling-3': {
      generationTypes: ['text-to-video', 'image-to-video'],
      seconds: [5, 10],
      resolutions: { '720p': { perSecond: 6 }, '1080p': { perSecond: 9 } },
      defaultResolution: '1080p',
      aspectRatios: ['16:9', '9:16'],
      options: {
        negative_prompt: { type: 'text', max: 500 },
        cfg: { type: 'number', min: 0, max: 1 },
        loop: { type: 'boolean' },
      },
    },
  },
});
const image = 'https://a.example/boat.png';

/** The message of the create, with the names of the request; or what the task would have. */
function inputOrError(body: object) {
  try {
    const request = CreateVideoRequest.parse({ prompt, model: 'kling-3', ...body });
    const { body: translated, fieldNames } = translateCreate(kling, request);
    const checked = checkGeneration(translated, { catalog: kling, checkUrl: () => ({ ok: true }) });
    return checked.ok ? translated.input : renameFields(checked.message, fieldNames);
  } catch (error) {
    return (error as Error).message;
  }
}

describe('what others have added to the format', () => {
  for (const [body, expected] of [
    [{}, { duration: 5, resolution: '1080p', aspect_ratio: '16:9' }],
    [{ image }, { aspect_ratio: '16:9', image_urls: [image] }],
    [{ model: 'vidgen-2-5', resolution: '4K' }, /^resolution must be one of 480p, 720p, 1080p for/],
    [
      { resolution: '720P', aspect_ratio: '9:16' },
      { resolution: '720p', aspect_ratio: '9:16' },
    ],
    [{ size: '1280x720', resolution: '720p', seconds: '5', duration: 5 }, { resolution: '720p' }],
    [
      { size: '1280x720', resolution: '1080p' },
      /^size must mean the same as resolution \(got "720p"/,
    ],
    [{ size: '1280x720', aspect_ratio: '9:16' }, /^size must mean the same as aspect_ratio/],
    [{ seconds: '5', duration: 10 }, /^seconds must mean the same as duration \(got "5" and 10\)/],
    [{ duration: 7 }, /^duration must be one of 5, 10 for kling-3 \(got 7\)$/],
    [{ audio: 'false', generate_audio: false }, { generate_audio: false }],
    [{ audio: true, generate_audio: false }, /^audio must mean the same as generate_audio/],
    [{ seed: '7' }, 'seed is not supported by kling-3, omit it'],
    [{ image: { image_url: image }, input_reference: image }, { image_urls: [image] }],
    [{ image, input_reference: `${image}?2` }, /^input_reference must mean the same as image/],
    [{ image, last_frame: image }, 'image must contain 1 image for image-to-video (got 2)'],
    [{ last_frame: image }, 'last_frame needs a first frame; add image'],
    [{ image, reference_images: [image] }, /^reference_images must be omitted with frames/],
    [{ reference_videos: [{ video_url: image }] }, /^reference_videos must be omitted for kling-3/],
    [{ negative_prompt: 'blur' }, { options: { negative_prompt: 'blur' } }],
    [{ negative_prompt: 'a', options: { negative_prompt: 'b' } }, /^negative_prompt must mean/],
    [{ options: { cfg: '0.5', loop: 'true' } }, { options: { cfg: 0.5, loop: true } }],
    [{ options: { cfg: 'high' } }, 'options.cfg must be a number from 0 to 1 (got "high")'],
    [
      { model: 'vidgen-2-5', negative_prompt: 'blur' },
      'negative_prompt is not an option of vidgen-2-5, which has none',
    ],
  ] as const) {
    test(JSON.stringify(body), () => {
      const found = inputOrError(body);
      if (expected instanceof RegExp) assert.match(String(found), expected);
      else if (typeof expected === 'string') assert.equal(found, expected);
      else assert.partialDeepStrictEqual(found, expected);
    });
  }
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
