/** The catalog with an operator's overrides, and what `/v1/models` shows of it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GenerationInput } from '@vidgen/contract/create-generation.ts';
import { modelNames, type Resolution, resolutions } from '@vidgen/contract/models.ts';
import { ModelsResponse } from '@vidgen/contract/models-response.ts';
import { createCatalog } from './catalog.ts';
import { contractModels, type Range, secondRate } from './models.ts';
import { modelsView } from './view.ts';

describe('overrides', () => {
  test('without any, every model is served at the default prices', () => {
    const catalog = createCatalog();
    assert.deepEqual(catalog.list(), contractModels);
    assert.deepEqual(catalog.names(), modelNames);
  });

  test('a number replaces one rate, and the rate with a video is 1.5 times it', () => {
    const catalog = createCatalog({ prices: { 'vidgen-2-5': { '720p': 0.123 } } });
    assert.deepEqual(catalog.find('vidgen-2-5')!.rates, {
      ...contractModels[0]!.rates,
      '720p': secondRate(0.123, 0.1845),
    });
  });

  test('both rates can be given', () => {
    const rate = { perSecond: 2, perSecondWithVideo: 2 };
    const catalog = createCatalog({ prices: { 'vidgen-2-0-mini': { '480p': rate } } });
    assert.partialDeepStrictEqual(catalog.find('vidgen-2-0-mini')!.rates['480p'], rate);
  });

  test('a model without a complete price is not served', () => {
    const catalog = createCatalog({ prices: { 'vidgen-2-0': { '4k': null } } });
    assert.deepEqual(catalog.names(), ['vidgen-2-5', 'vidgen-2-0-fast', 'vidgen-2-0-mini']);
  });

  test('null stops offering a model of the contract', () => {
    const catalog = createCatalog({ models: { 'vidgen-2-5': null, 'vidgen-2-0-fast': null } });
    assert.deepEqual(catalog.names(), ['vidgen-2-0', 'vidgen-2-0-mini']);
  });

  test('aliases name models, and no alias is the name of a model', () => {
    const { aliases } = createCatalog({ aliases: { 'sora-2': 'vidgen-2-5' } });
    assert.deepEqual([...aliases], [['sora-2', 'vidgen-2-5']]);
    const wrong = { 'vidgen-2-0': 'vidgen-2-5', 'sora-2': 'vidgen-3' } as const;
    assert.throws(() => createCatalog({ aliases: wrong as never }), {
      message:
        'vidgen-3 is not a model; known models: vidgen-2-5, vidgen-2-0, vidgen-2-0-fast, ' +
        'vidgen-2-0-mini; aliases.vidgen-2-0 is a model itself; use another name',
    });
  });

  test('every invalid override is named at once', () => {
    const overrides = {
      prices: {
        'vidgen-3': {},
        'vidgen-2-5': { '4k': 5, '480p': -1, '720p': 0.000_01 },
        'vidgen-2-0-fast': { '8k': 5, '480p': { perSecond: 1, perSecondWithVideo: Number.NaN } },
      },
    };
    assert.throws(() => createCatalog(overrides as never), {
      message:
        'vidgen-3 is not a model; known models: vidgen-2-5, vidgen-2-0, vidgen-2-0-fast, ' +
        'vidgen-2-0-mini; prices.vidgen-2-5.4k: vidgen-2-5 does not render it, allowed are ' +
        '480p, 720p, 1080p; prices.vidgen-2-5.480p must be 0 to 1000000 with at most 4 ' +
        'decimals; prices.vidgen-2-5.720p must be 0 to 1000000 with at most 4 decimals; ' +
        'prices.vidgen-2-0-fast.8k: it is not a resolution, allowed are 480p, 720p; ' +
        'prices.vidgen-2-0-fast.480p must be 0 to 1000000 with at most 4 decimals',
    });
  });
});

describe('the listing', () => {
  test('matches its schema and lists what is served', () => {
    const view = modelsView(createCatalog({ models: { 'vidgen-2-0': null } }));
    assert.deepEqual(ModelsResponse.parse(view), view);
    assert.deepEqual(
      view.items.map((model) => model.id),
      ['vidgen-2-5', 'vidgen-2-0-fast', 'vidgen-2-0-mini'],
    );
    assert.equal(view.next_cursor, null);
  });

  test('shows the limits and prices of model 2.5', () => {
    const [model] = modelsView(createCatalog()).items;
    assert.deepEqual(model?.duration, {
      min: 4,
      max: 30,
      default: 5,
      values: null,
      editing: { value: -1, source_seconds: { min: 4, max: 30 } },
    });
    assert.equal(model?.seed, null);
    assert.deepEqual(model?.aspect_ratios['image-to-video'], ['adaptive']);
    assert.equal(model?.reference_to_video.total_max, 50);
    assert.deepEqual(model?.prices.at(-1), {
      resolution: '1080p',
      credits_per_second: 18,
      credits_per_second_silent: 18,
      credits_per_second_with_video: 27,
      credits_per_input_second: 0,
      credits_per_task: 0,
    });
  });
});

type Field = keyof typeof GenerationInput.shape;

/** What a field description must contain, from the table of models. */
function documentedLimits(): [Field, string][] {
  const range = ({ min, max }: Range) => `${min} to ${max}`;
  const upTo = (allowed: readonly Resolution[]) => {
    assert.deepEqual(allowed, resolutions.slice(0, allowed.length));
    return `up to \`${allowed.at(-1)}\``;
  };
  const limitsOf = (name: string) => createCatalog().find(name)!.limits;
  const newer = limitsOf('vidgen-2-5');
  const older = limitsOf('vidgen-2-0');
  const { video, audio } = newer.reference;
  return [
    ['duration', `\`vidgen-2-5\`: ${range(newer.durationSeconds)}`],
    ['duration', `Model 2.0: ${range(older.durationSeconds)}`],
    ['image_urls', `up to ${newer.reference.imagesMax} with \`vidgen-2-5\``],
    ['image_urls', `up to ${older.reference.imagesMax} with model 2.0`],
    ['image_urls', `at most ${newer.reference.totalMax} materials`],
    ['video_urls', `up to ${newer.reference.videosMax}, each ${range(video.eachSeconds!)} s`],
    ['video_urls', `(${range(newer.editing!.sourceSeconds)} s for video editing)`],
    ['video_urls', `at most ${video.combinedSecondsMax} s together`],
    ['video_urls', `Model 2.0: up to ${older.reference.videosMax}`],
    ['video_urls', `at most ${older.reference.video.combinedSecondsMax} s together`],
    ['audio_urls', `up to ${newer.reference.audiosMax}, each ${range(audio.eachSeconds!)} s`],
    ['audio_urls', `at most ${audio.combinedSecondsMax} s together`],
    ['audio_urls', `Model 2.0: up to ${older.reference.audiosMax}`],
    ['audio_urls', `at most ${older.reference.audio.combinedSecondsMax} s together`],
    ['resolution', `\`vidgen-2-5\`: ${upTo(newer.resolutions)}.`],
    ['resolution', `\`vidgen-2-0\`: ${upTo(older.resolutions)}.`],
    ['resolution', `\`vidgen-2-0-mini\`: ${upTo(limitsOf('vidgen-2-0-mini').resolutions)}.`],
  ];
}

test('the descriptions in the contract state the limits of the table', () => {
  for (const [field, piece] of documentedLimits()) {
    const { description = '' } = GenerationInput.shape[field];
    assert(description.includes(piece), `${field}: ${piece}`);
  }
});
