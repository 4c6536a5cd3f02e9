/** What tests use: the models of the catalog, and a generator of arbitrary forms. */
import type { DeclaredModel } from '@vidgen/contract/model-declaration.ts';
import { aspectRatios, resolutions } from '@vidgen/contract/models.ts';
import type { Model } from '@vidgen/contract/models-response.ts';
import fc from 'fast-check';
import { createCatalog } from '../../../../server/catalog/catalog.ts';
import { modelsView } from '../../../../server/catalog/view.ts';
import { formTypes, type GenerationForm } from '../generation-form.ts';

/** With everything that no model of the contract has. */
const kite: DeclaredModel = {
  generationTypes: ['text-to-video', 'image-to-video'],
  seconds: [4, 6, 8],
  resolutions: { '480p': { perTask: 25 }, '768p': { perSecond: 16, perSecondSilent: 8 } },
  defaultResolution: '768p',
  aspectRatios: ['16:9', '9:16'],
  sound: 'never',
  options: { cfg: { type: 'number', min: 0, max: 1 }, style: { type: 'choice', values: ['film'] } },
};

export const catalog = createCatalog({ models: { kite } });
export const models: readonly Model[] = modelsView(catalog).items;

export const modelNamed = (id: string): Model => {
  const model = models.find((one) => one.id === id);
  if (model === undefined) throw new Error(`there is no ${id}`);
  return model;
};

const prompt = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('', '  ', '5', 'true', 'null', '{"a":1}', `it's "$HOME" \`ls\` \\n\n<b>é🎬</b>`),
);

const urls = (max: number) =>
  fc.array(
    fc.webUrl().filter((url) => url.length < 200),
    { maxLength: max },
  );

export const anyForm: fc.Arbitrary<GenerationForm> = fc.record({
  model: fc.constantFrom(...models.map(({ id }) => id)),
  type: fc.constantFrom(...formTypes),
  prompt,
  images: urls(11),
  videos: urls(4),
  audios: urls(4),
  duration: fc.integer({ min: -5, max: 60 }),
  resolution: fc.constantFrom(...resolutions),
  aspectRatio: fc.constantFrom(...aspectRatios),
  generateAudio: fc.boolean(),
  watermark: fc.boolean(),
  webSearch: fc.boolean(),
  returnLastFrame: fc.boolean(),
  seed: fc.option(fc.integer({ min: 0, max: 4_294_967_295 })),
  options: fc.constantFrom({}, { cfg: 0.5, style: 'film' }, { style: '5' }),
  callbackUrl: fc.constantFrom('', 'https://example.com/hook'),
  continues: fc.constantFrom('', 'task_01jd2v9q3kf8m7x5w4t6r0b1zc'),
});
