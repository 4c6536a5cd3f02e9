/** docs/spec.md 2.2 row by row: types, defaults, unknown fields. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import { createCatalog } from './catalog.ts';
import { checkGeneration } from './check.ts';
import type { CheckUrl } from './draft.ts';

const checkUrl: CheckUrl = (text) =>
  text.startsWith('https://') ? { ok: true } : { ok: false, rule: 'must be an https URL' };
const context = { catalog: createCatalog(), checkUrl };

function messageFor(body: unknown): string {
  const checked = checkGeneration(body, context);
  assert(!checked.ok, 'expected an error');
  return checked.message;
}

function accepted(body: unknown) {
  const checked = checkGeneration(body, context);
  assert(checked.ok, checked.ok ? '' : checked.message);
  return checked;
}

const request = (input: object, more: object = {}) => ({
  model: 'vidgen-2-0',
  input: { prompt: 'A paper boat', ...input },
  ...more,
});

const names = modelNames.join(', ');

describe('a body that is not a request', () => {
  const rows: [unknown, string][] = [
    [undefined, 'the body must be a JSON object (got nothing)'],
    [[], 'the body must be a JSON object (got an empty array)'],
    [{}, `model is required: one of ${names}; input is required`],
    [{ model: 'vidgen-2-5', input: {} }, 'input.prompt is required'],
  ];
  for (const [body, message] of rows) {
    test(`${JSON.stringify(body)} is rejected`, () => assert.equal(messageFor(body), message));
  }
});

const wrongTypes: [object, string][] = [
  [{ model: 5, input: { prompt: 'x' } }, `model must be one of ${names} (got 5)`],
  [request({}, { callback_url: 5 }), 'callback_url must be a string (got 5)'],
  [request({}, { callback_url: null }), 'callback_url must be a string, or omitted (got null)'],
  [{ model: 'vidgen-2-0', input: 'x' }, 'input must be an object (got "x")'],
  [request({ prompt: null }), 'input.prompt must be a string (got null)'],
  [request({ image_urls: 'x' }), 'input.image_urls must be an array of strings (got "x")'],
  [
    request({ video_urls: ['https://a.example/v', 3] }),
    'input.video_urls[1] must be a string (got 3)',
  ],
  [request({ duration: '5' }), 'input.duration must be an integer (got "5"), did you mean 5?'],
  [request({ duration: null }), 'input.duration must be an integer, or omitted (got null)'],
  [
    request({ resolution: 720 }),
    'input.resolution must be one of 480p, 720p, 1080p, 4k (got 720), did you mean 720p?',
  ],
  [request({ generate_audio: 1 }), 'input.generate_audio must be true or false (got 1)'],
  [
    request({ return_last_frame: null }),
    'input.return_last_frame must be true or false, or omitted (got null)',
  ],
  [request({ seed: 0.5 }), 'input.seed must be an integer (got 0.5)'],
];

test('suggests the value that was meant', () => {
  const input = { prompt: 'a boat', resolution: '720', aspect_ratio: '16x9' };
  const message = messageFor({ model: 'vidgen-2.5', input });
  for (const meant of ['vidgen-2-5', '720p', '16:9']) {
    assert.ok(message.includes(`did you mean ${meant}?`), message);
  }
  assert.match(messageFor(request({ resolution: '720' })), /\(got "720"\), did you mean 720p\?$/);
  assert.match(messageFor(request({ duration: '5s' })), /\(got "5s"\), did you mean 5\?$/);
  assert.ok(!messageFor(request({ aspect_ratio: '2:1' })).includes('did you mean'));
});

describe('rejects a wrong type and coerces nothing (docs/spec.md 2.2)', () => {
  for (const [body, message] of wrongTypes) {
    test(message, () => assert.equal(messageFor(body), message));
  }

  test('an ignored list must still have the right type', () => {
    assert.equal(
      messageFor(request({ generation_type: 'text-to-video', video_urls: [5] })),
      'input.video_urls[0] must be a string (got 5)',
    );
  });
});

describe('rejects an unknown field and suggests the nearest known name', () => {
  const rows: [object, string][] = [
    [
      request({ durration: 5 }),
      'input.durration is not a known field, did you mean input.duration?',
    ],
    [request({ model: 'x' }), 'input.model is not a known field, did you mean model?'],
    [request({}, { duration: 5 }), 'duration is not a known field, did you mean input.duration?'],
    [request({}, { callback: 'x' }), 'callback is not a known field, did you mean callback_url?'],
    [
      request({}, { xyzzy: 1 }),
      'xyzzy is not a known field, known fields: model, callback_url, input, metadata',
    ],
    [
      JSON.parse('{"model":"vidgen-2-0","input":{"prompt":"x"},"__proto__":{"model":"x"}}'),
      '__proto__ is not a known field, known fields: model, callback_url, input, metadata',
    ],
  ];
  for (const [body, message] of rows) {
    test(message, () => assert.equal(messageFor(body), message));
  }
});

describe('the message', () => {
  test('lists every wrong type and unknown field, and no broken rule yet', () => {
    const body = { model: 'sora', input: { prompt: 5, duration: 99, sed: 1 }, extra: 1 };
    assert.equal(
      messageFor(body),
      'input.prompt must be a string (got 5); ' +
        'input.sed is not a known field, did you mean input.seed?; ' +
        'extra is not a known field, known fields: model, callback_url, input, metadata',
    );
  });

  test('lists every broken rule, in the order of the body', () => {
    const body = {
      input: { seed: 1, resolution: '4k', duration: 45, prompt: ' ' },
      callback_url: 'http://a.example/',
      model: 'vidgen-2-5',
    };
    assert.equal(
      messageFor(body),
      'input.seed is not supported by vidgen-2-5, omit it; ' +
        'input.resolution must be one of 480p, 720p, 1080p for vidgen-2-5 (got "4k"); ' +
        'input.duration must be 4 to 30 for vidgen-2-5 (got 45); ' +
        'input.prompt must not be empty (got " "); ' +
        'callback_url must be an https URL (got "http://a.example/")',
    );
  });

  test('stays short for a body with thousands of errors', () => {
    const message = messageFor(request({ image_urls: Array(900).fill(0) }));
    assert.match(message, /; input\.image_urls\[19\] must be a string \(got 0\); and 880 more$/);
    assert.equal(
      messageFor(request({ image_urls: Array(500_000).fill(0) })),
      'input.image_urls must contain at most 1000 items (got 500000)',
    );
    const manyFields = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field${n}`, n]));
    assert.equal(messageFor(manyFields), 'the body must contain at most 100 items (got 5000)');
  });
});

describe('defaults (docs/spec.md 2.2)', () => {
  const minimal: Generation = {
    model: 'vidgen-2-0',
    prompt: 'A paper boat',
    generationType: 'text-to-video',
    imageUrls: [],
    videoUrls: [],
    audioUrls: [],
    duration: 5,
    aspectRatio: 'adaptive',
    resolution: '720p',
    generateAudio: true,
    watermark: false,
    webSearch: false,
    returnLastFrame: false,
    seed: -1,
  };

  test('fills in the smallest request', () => {
    const checked = accepted(request({}));
    assert.deepEqual(checked.request.generation, minimal);
    assert.equal(checked.request.callbackUrl, null);
    assert.deepEqual(checked.ignored, []);
  });

  test('a model without seeds gets none', () => {
    assert.equal(accepted(request({}, { model: 'vidgen-2-5' })).request.generation.seed, null);
  });

  test('keeps everything that was sent, including false and zero', () => {
    const body = request(
      {
        generation_type: 'image-to-video',
        image_urls: ['https://a.example/1.png', 'https://a.example/2.png'],
        duration: 15,
        aspect_ratio: '21:9',
        resolution: '4k',
        generate_audio: false,
        watermark: true,
        web_search: true,
        return_last_frame: true,
        seed: 0,
      },
      { callback_url: 'https://hooks.example/done' },
    );
    const checked = accepted(body);
    assert.deepEqual(checked.request.generation, {
      ...minimal,
      generationType: 'image-to-video',
      imageUrls: ['https://a.example/1.png', 'https://a.example/2.png'],
      duration: 15,
      aspectRatio: '21:9',
      resolution: '4k',
      generateAudio: false,
      watermark: true,
      webSearch: true,
      returnLastFrame: true,
      seed: 0,
    });
    assert.equal(checked.request.callbackUrl, 'https://hooks.example/done');
  });

  test('trims the prompt', () => {
    assert.equal(accepted(request({ prompt: '\n A boat \t' })).request.generation.prompt, 'A boat');
  });

  test('turns minus zero into zero', () => {
    assert(Object.is(accepted(request({ seed: -0 })).request.generation.seed, 0));
  });
});
