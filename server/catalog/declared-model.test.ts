/**
 * Declared models: wrong declarations are named with an example; whatever is declared, a request is
 * priced as its resolved form says, or refused for a declared limit.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import {
  type DeclaredModel,
  ModelDeclaration,
  type Rate,
} from '@vidgen/contract/model-declaration.ts';
import { aspectRatios, generationTypes } from '@vidgen/contract/models.ts';
import { formatProblems, problemsOf } from '@vidgen/contract/problem.ts';
import fc from 'fast-check';
import { createCatalog } from './catalog.ts';
import { checkGeneration } from './check.ts';
import { minimumPrice, pricedInputSeconds, priceOf } from './price.ts';

const kite: DeclaredModel = {
  generationTypes: ['text-to-video', 'image-to-video'],
  seconds: { min: 3, max: 15, default: 5 },
  resolutions: {
    '480p': { perSecond: 3, perSecondSilent: 2, perTask: 7 },
    '768p': { perSecond: 16 },
  },
  aspectRatios: ['16:9', '9:16'],
  seed: true,
  options: { cfg: { type: 'number', min: 0, max: 1 }, style: { type: 'choice', values: ['film'] } },
};

const checkUrl = () => ({ ok: true }) as const;
const checkerOf = (declared: DeclaredModel) => {
  const catalog = createCatalog({ models: { kite: declared } });
  return (input: object) => checkGeneration({ model: 'kite', input }, { catalog, checkUrl });
};
const check = (declared: DeclaredModel, input: object) => checkerOf(declared)(input);
const accepted = (declared: DeclaredModel, input: object) => {
  const checked = check(declared, { prompt: 'x', ...input });
  assert.ok(checked.ok, checked.ok ? '' : checked.message);
  return { ...checked, generation: checked.request.generation };
};

describe('a wrong declaration is refused with the field, the rule and an example', () => {
  const reference = ['text-to-video', 'reference-to-video'] as const;
  const rows: readonly (readonly [change: object, message: RegExp])[] = [
    [{ seconds: 5 }, /^seconds must be a range such as \{ min: 3, max: 15 \} or a list/],
    [{ seconds: { min: 9, max: 3 } }, /^seconds must have min <= default <= max, such as/],
    [{ resolutions: {} }, /^resolutions must have a resolution with its price, such as/],
    [{ resolutions: { '480p': {} } }, /^resolutions\["480p"\] must have a price, such as/],
    [
      { resolutions: { hd: { perTask: 1 } } },
      /^resolutions\.hd must be the name of a resolution, such as 720p or 4k/,
    ],
    [{ resolutions: { '480p': { perTask: 0.000_01 } } }, /perTask must have at most 4 decimals/],
    [{ defaultResolution: '4k' }, /^defaultResolution must be one of 480p, 768p/],
    [{ aspectRatios: { 'text-to-video': ['1:1'] } }, /^aspectRatios must have a list for image-to/],
    [{ references: { images: 4 } }, /^references needs reference-to-video in generationTypes/],
    [{ generationTypes: reference }, /^references must say what reference-to-video takes, such/],
    [{ editing: true }, /^editing needs reference-to-video and a video in references/],
    [
      { generationTypes: ['text-to-video'], frames: { last: true } },
      /^frames needs image-to-video/,
    ],
    [{ retires: 'soon' }, /^retires must be a date such as 2026-11-11/],
    [{ sounds: 'never' }, /^sounds is not a known field, did you mean sound\?/],
  ];
  for (const [change, message] of rows) {
    test(JSON.stringify(change), () => {
      assert.match(formatProblems(problemsOf(ModelDeclaration, { ...kite, ...change })), message);
    });
  }

  test('names of models', () => {
    const declare = (models: Record<string, DeclaredModel | null>) => () =>
      createCatalog({ models });
    assert.throws(declare({ 'vidgen-2-5': kite }), /is a model of the contract; set its prices/);
    assert.throws(declare({ kite: null }), /models\.kite is null, which only stops offering/);
    const prices = { kite: { '480p': 3 } };
    assert.throws(
      () => createCatalog({ models: { kite }, prices }),
      /write its prices into models\.kite\.resolutions/,
    );
  });
});

test('defaults are those of the model where the contract has others', () => {
  const { generation } = accepted(kite, {});
  assert.partialDeepStrictEqual(generation, {
    resolution: '480p',
    duration: 5,
    aspectRatio: '16:9',
    generateAudio: true,
    seed: -1,
  });
  const only = {
    ...kite,
    seconds: [8, 4],
    sound: 'never',
    resolutions: { '1080p': { perTask: 1 } },
  };
  assert.partialDeepStrictEqual(accepted(only as DeclaredModel, {}).generation, {
    resolution: '1080p',
    duration: 4,
    generateAudio: false,
  });
});

test('options are checked by the declaration', () => {
  assert.deepEqual(accepted(kite, { options: { cfg: 0.5 } }).generation.options, { cfg: 0.5 });
  const messageOf = (options: object) => {
    const checked = check(kite, { prompt: 'x', options });
    return checked.ok ? '' : checked.message;
  };
  assert.equal(
    messageOf({ cfgs: 1 }),
    'input.options.cfgs is not an option of kite, which has cfg, style',
  );
  assert.equal(messageOf({ cfg: 2 }), 'input.options.cfg must be a number from 0 to 1 (got 2)');
  assert.equal(messageOf({ style: 'noir' }), 'input.options.style must be film (got "noir")');
  assert.match(messageOf({ cfg: {} }), /^input\.options\.cfg must be/);
});

test('input is priced by its measured seconds, or as the longest that the model takes', () => {
  const declared: DeclaredModel = {
    ...kite,
    generationTypes: ['reference-to-video'],
    references: { videos: 2, secondsMax: 20 },
    resolutions: { '480p': { perSecond: 1, perSecondWithVideo: 2, perInputSecond: 0.5 } },
  };
  const videos = ['https://a.example/1.mp4', 'https://a.example/2.mp4'];
  const { generation, model } = accepted(declared, { video_urls: videos });
  assert.equal(priceOf(generation, model, { videoSeconds: [4, 6.5] }), 16); // 15.25.
  assert.equal(priceOf(generation, model, { videoSeconds: [4, null] }), 20);
  assert.equal(priceOf(generation, model), 20);
  assert.equal(minimumPrice(generation, model), 10);
  assert.equal(pricedInputSeconds(generation, model, { videoSeconds: [4, 6.5] }), 6.5);
  assert.equal(pricedInputSeconds(generation, model, { videoSeconds: [4, null] }), null);
});

const figure = fc.integer({ min: 0, max: 500_000 }).map((units) => units / 10_000);
const rate = fc
  .record<Rate>(
    {
      perSecond: figure,
      perSecondSilent: figure,
      perSecondWithVideo: figure,
      perInputSecond: figure,
      perTask: figure,
    },
    { requiredKeys: [] },
  )
  .map((one) => ({ perTask: 1, ...one }));
const sizes = ['360p', '480p', '540p', '720p', '768p', '1080p', '2k', '4k'];
const lengths = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 });

const declarations: fc.Arbitrary<DeclaredModel> = fc
  .record(
    {
      generationTypes: fc.uniqueArray(fc.constantFrom(...generationTypes), { minLength: 1 }),
      seconds: fc.oneof(
        lengths,
        lengths.map((some) => ({ min: Math.min(...some), max: Math.max(...some) })),
      ),
      resolutions: fc.dictionary(fc.constantFrom(...sizes), rate, { minKeys: 1, maxKeys: 4 }),
      aspectRatios: fc.uniqueArray(fc.constantFrom(...aspectRatios), { minLength: 1 }),
      references: fc.record({
        images: fc.nat(4),
        videos: fc.nat(3),
        secondsMax: fc.integer({ min: 5, max: 60 }),
      }),
      frames: fc.record({ last: fc.boolean() }),
      sound: fc.constantFrom('always', 'never', 'optional'),
      seed: fc.boolean(),
      editing: fc.boolean(),
      promptCharactersMax: fc.integer({ min: 5, max: 200 }),
      options: fc.constant(kite.options!),
    },
    { requiredKeys: ['generationTypes', 'seconds', 'resolutions'] },
  )
  .map((drawn) => drawn as DeclaredModel)
  .filter((drawn) => ModelDeclaration.safeParse(drawn).success);

const url = (count: number, kind: string) =>
  Array.from({ length: count }, (_, at) => `https://a.example/${kind}-${at}`);
const requests = fc.record(
  {
    prompt: fc.string({ minLength: 1, maxLength: 12 }).map((text) => `a ${text}`),
    generation_type: fc.constantFrom(...generationTypes),
    image_urls: fc.nat(3).map((count) => url(count, 'image')),
    video_urls: fc.nat(3).map((count) => url(count, 'video')),
    duration: fc.integer({ min: -1, max: 61 }),
    aspect_ratio: fc.constantFrom(...aspectRatios),
    resolution: fc.constantFrom(...sizes),
    generate_audio: fc.boolean(),
    seed: fc.integer({ min: -1, max: 9 }),
    options: fc.constantFrom({}, { cfg: 0.5 }, { cfg: 7 }, { other: true }),
  },
  { requiredKeys: ['prompt'] },
);

/** What the declaration says, calculated in ten-thousandths without the catalog. */
function expectedCredits(declared: DeclaredModel, generation: Generation, inputSeconds: number) {
  const { perSecond = 0, perTask = 0, ...of } = declared.resolutions[generation.resolution]!;
  const { perSecondSilent = perSecond, perSecondWithVideo = perSecond, perInputSecond = 0 } = of;
  const plain = generation.generateAudio ? perSecond : perSecondSilent;
  const hasVideo = generation.videoUrls.length > 0;
  const units = (credits: number) => Math.round(credits * 10_000);
  const total =
    units(hasVideo ? perSecondWithVideo : plain) * generation.duration +
    units(perInputSecond) * (hasVideo ? inputSeconds : 0) +
    units(perTask);
  return Math.max(1, Math.ceil(total / 10_000));
}

const runs = process.env.VIDGEN_TEST_THOROUGH ? 1000 : 60;
test(`${runs} drawn declarations: 50 requests are priced as declared or refused by a limit`, () => {
  fc.assert(
    fc.property(
      declarations,
      fc.array(requests, { minLength: 50, maxLength: 50 }),
      (declared, drawn) => {
        const checkDrawn = checkerOf(declared);
        for (const input of drawn) {
          const checked = checkDrawn(input);
          if (!checked.ok) {
            // Each problem names a field of the request.
            for (const problem of checked.message.split('; '))
              assert.match(problem, /input\.|materials/);
            continue;
          }
          const { generation } = checked.request;
          const { secondsMax = 30 } = declared.references ?? {};
          assert.ok(declared.generationTypes.includes(generation.generationType));
          assert.ok(generation.resolution in declared.resolutions);
          assert.ok(minimumPrice(generation, checked.model) <= priceOf(generation, checked.model));
          if (generation.duration < 0) continue;
          const credits = expectedCredits(declared, generation, secondsMax);
          assert.equal(priceOf(generation, checked.model), credits, JSON.stringify(generation));
        }
      },
    ),
    { numRuns: runs },
  );
});
