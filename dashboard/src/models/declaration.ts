/** Declarations of models as JSON: what is sent and copied, and what is pasted into the form. */
import type { InstalledModel } from '@vidgen/contract/admin-models.ts';
import type { DeclaredModel } from '@vidgen/contract/model-declaration.ts';
import type { Model } from '@vidgen/contract/models-response.ts';

export type Declaration = DeclaredModel & { readonly name: string };

/** As it was declared, or as a model of the contract would be. */
export const declarationOf = (model: InstalledModel): Declaration =>
  model.declaration === null
    ? describe(model)
    : { name: model.id, ...(model.declaration as DeclaredModel) };

function describe(model: Model): Declaration {
  const { duration, reference_to_video: reference } = model;
  const { min, max, default: usual, editing } = duration;
  const { 'video-editing': _, ...aspectRatios } = model.aspect_ratios;
  return {
    name: model.id,
    generationTypes: model.generation_types,
    seconds: { min, max, default: usual },
    resolutions: Object.fromEntries(
      model.prices.map((price) => [
        price.resolution,
        {
          perSecond: price.credits_per_second,
          perSecondWithVideo: price.credits_per_second_with_video,
        },
      ]),
    ),
    aspectRatios,
    frames: { last: model.image_to_video.images_max > 1 },
    references: {
      images: reference.images_max,
      videos: reference.videos_max,
      audios: reference.audios_max,
      ...(reference.total_max === null ? {} : { total: reference.total_max }),
      secondsMax: reference.video_seconds.combined_max,
      audioAlone: reference.audio_alone,
    },
    seed: model.seed !== null,
    ...(editing === null ? {} : { editing: editing.source_seconds }),
  };
}

export const jsonOf = (declaration: object): string => JSON.stringify(declaration, null, 2);

/** The body that changes a model to `after`: null removes a field. */
export function changeOf(before: Declaration, { name: _, ...after }: Declaration): object {
  const removed = Object.keys(before).filter((field) => field !== 'name' && !(field in after));
  return { ...Object.fromEntries(removed.map((field) => [field, null])), ...after };
}

type Test = (value: unknown) => boolean;
const isA =
  (...types: readonly string[]): Test =>
  (value) =>
    types.includes(typeof value);
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
const objectOf =
  (test: Test): Test =>
  (value) =>
    typeof value === 'object' && value !== null && Object.values(value).every(test);

const anyText = [isA('string'), 'text'] as const;
const anyNumber = [isA('number'), 'a number'] as const;
const flag = [isA('boolean'), 'true or false'] as const;

/** Enough to fill the form; the service checks the rest. `objectOf` takes lists, too. */
const shapes: Readonly<Record<keyof Declaration, readonly [test: Test, rule: string]>> = {
  name: anyText,
  title: anyText,
  generationTypes: [listOf(isA('string')), 'a list such as ["text-to-video"]'],
  seconds: [objectOf(isA('number')), 'a range such as {"min": 3, "max": 15} or a list'],
  resolutions: [objectOf(objectOf(isA('number'))), 'prices such as {"720p": {"perSecond": 6}}'],
  defaultResolution: anyText,
  aspectRatios: [objectOf(isA('string', 'object')), 'a list such as ["16:9"]'],
  frames: [objectOf(isA('boolean')), '{"last": true} or {"last": false}'],
  references: [objectOf(isA('number', 'boolean')), 'limits such as {"images": 4}'],
  sound: anyText,
  seed: flag,
  editing: [
    (value) => flag[0](value) || objectOf(isA('number'))(value),
    'true, false or {"min": 4, "max": 30}',
  ],
  promptCharactersMax: anyNumber,
  options: [objectOf(isA('object')), 'options such as {"cfg": {"type": "boolean"}}'],
  retires: anyText,
};

/**
 * Reads pasted text: `{ "name": …, … }`, or `{ "kling-3": { … } }` as in the configuration file.
 * `errors` are of fields that were left out. Throws an error for the person if it is no JSON.
 */
export function readDeclaration(text: string): {
  readonly declared: Partial<Declaration>;
  readonly errors: Readonly<Record<string, string>>;
} {
  const errors: Record<string, string> = {};
  const fields = Object.entries(withName(parseObject(text))).filter(([field, value]) => {
    const [test, rule] = Object.hasOwn(shapes, field) ? shapes[field as keyof Declaration] : [];
    if (test?.(value)) return true;
    errors[field] = test ? `Must be ${rule}` : 'Is not a known field';
    return false;
  });
  return { declared: Object.fromEntries(fields), errors };
}

function withName(value: object): object {
  const [[name, fields] = [], ...others] = Object.entries(value);
  const isNamed = name !== undefined && others.length === 0 && !Object.hasOwn(shapes, name);
  return isNamed && typeof fields === 'object' ? { name, ...fields } : value;
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below, with what to do.
  }
  throw new Error('This isn’t a JSON object. Paste all of it, from { to }.');
}
