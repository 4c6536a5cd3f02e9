/**
 * What an operator declares of a model, in `vidgen.config.ts` and in the dashboard: its limits and
 * its prices. `GET /v1/models` shows them.
 */
import { z } from 'zod';
import { optionName, outputSecondsMax, promptCharactersMax } from './create-generation.ts';
import { ResolutionName } from './model-name.ts';
import { aspectRatios, generationTypes } from './models.ts';

const figureMax = 1_000_000;

/** `decimals` keep every product of a rate and a length exact. */
export const figureOf = ({ decimals }: { readonly decimals: number }) =>
  z
    .number()
    .min(0)
    .max(figureMax)
    .refine((figure) => Number(figure.toFixed(decimals)) === figure, {
      error: `must have at most ${decimals} decimals`,
    });

export const rateSchema = (figure: ReturnType<typeof figureOf>, unit: string) =>
  z
    .strictObject({
      perSecond: figure.optional().describe(`${unit} per second of output.`),
      perSecondSilent: figure.optional().describe('Instead of `perSecond`, without sound.'),
      perSecondWithVideo: figure
        .optional()
        .describe('Instead of both, for `reference-to-video` with at least one video.'),
      perInputSecond: figure.optional().describe(`${unit} per second of all reference videos.`),
      perTask: figure.optional().describe(`${unit} per task, in addition.`),
    })
    .refine((rate) => Object.values(rate).some((one) => one !== undefined), {
      error: 'must have a price, such as { perSecond: 3 } or { perTask: 25 }',
    });

export const Rate = rateSchema(figureOf({ decimals: 4 }), 'Credits');
export type Rate = z.infer<typeof Rate>;

const seconds = z.int().min(1).max(outputSecondsMax);
const SecondsRange = z.strictObject({ min: seconds, max: seconds, default: seconds.optional() });
const SourceRange = z.strictObject({ min: z.int().min(1).max(30), max: z.int().min(1).max(30) });
const AspectRatios = z.array(z.enum(aspectRatios)).min(1);

export const ModelOption = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('text'), max: z.int().min(1).max(10_000) }),
    z.strictObject({ type: z.literal('number'), min: z.number(), max: z.number() }),
    z.strictObject({ type: z.literal('boolean') }),
    z.strictObject({ type: z.literal('choice'), values: z.array(z.string()).min(1).max(50) }),
  ],
  "must have a type of text, number, boolean or choice, such as { type: 'boolean' }",
);
export type ModelOption = z.infer<typeof ModelOption>;

const count = z.int().min(0).max(50);

export const DeclaredFields = z.strictObject({
  title: z.string().min(1).max(80).optional().describe('For people; the name by default.'),
  generationTypes: z.array(z.enum(generationTypes)).min(1),
  seconds: z
    .union([SecondsRange, z.array(seconds).min(1)], {
      error: 'must be a range such as { min: 3, max: 15 } or a list such as [4, 6, 8]',
    })
    .describe('Of output, whole ones.'),
  resolutions: z
    .record(ResolutionName, Rate)
    .refine((rates) => Object.keys(rates).length > 0, {
      error: "must have a resolution with its price, such as { '720p': { perSecond: 6 } }",
    })
    .describe('The price of each.'),
  defaultResolution: ResolutionName.optional().describe('`720p` or else the smallest.'),
  aspectRatios: z
    .union([AspectRatios, z.partialRecord(z.enum(generationTypes), AspectRatios)], {
      error: `must be a list of ${aspectRatios.join(', ')}, or one for each generation type`,
    })
    .optional()
    .describe('All by default.'),
  frames: z
    .strictObject({ last: z.boolean() })
    .optional()
    .describe('Whether `image-to-video` takes a last frame, too.'),
  references: z
    .strictObject({
      images: count.optional(),
      videos: count.optional(),
      audios: count.optional(),
      total: count.optional().describe('Over all three lists.'),
      secondsMax: z
        .int()
        .min(1)
        .max(300)
        .optional()
        .describe('Of all videos, and of all audio; 30 by default.'),
      audioAlone: z.boolean().optional().describe('Whether audio may be the only reference.'),
    })
    .optional()
    .describe('What `reference-to-video` takes.'),
  sound: z.enum(['always', 'never', 'optional']).optional().describe('`optional` by default.'),
  seed: z.boolean().optional(),
  editing: z
    .union([z.boolean(), SourceRange], 'must be true, false or a range such as { min: 4, max: 30 }')
    .optional()
    .describe('Whether a `duration` of -1 edits a video, and how long that may be: 4 to 30 s.'),
  promptCharactersMax: z.int().min(1).max(promptCharactersMax).optional(),
  options: z
    .record(optionName, ModelOption)
    .refine((options) => Object.keys(options).length <= 20, { error: 'must have at most 20' })
    .optional()
    .describe('What `input.options` may have. One that changes the price is a model of its own.'),
  retires: z.iso
    .date('must be a date such as 2026-11-11')
    .optional()
    .describe('The day from which the vendor does not make it any more.'),
});

export const ModelDeclaration = DeclaredFields.superRefine((declared, context) => {
  for (const [path, message] of problemsIn(declared)) {
    context.addIssue({ code: 'custom', path: [path], message });
  }
}).meta({ id: 'ModelDeclaration' });
export type DeclaredModel = z.infer<typeof DeclaredFields>;

/** What is wrong between fields, each with the field to change. */
function* problemsIn(declared: DeclaredModel): Generator<readonly [string, string]> {
  const { generationTypes: types, seconds: lengths, resolutions, defaultResolution } = declared;
  const { references, frames, editing = false, options = {}, aspectRatios: ratios } = declared;
  if (new Set(types).size < types.length) yield ['generationTypes', 'must name each type once'];
  if (!Array.isArray(lengths)) {
    const { min, max, default: usual = min } = lengths;
    if (min > max || usual < min || usual > max) {
      yield ['seconds', 'must have min <= default <= max, such as { min: 3, max: 15, default: 5 }'];
    }
  }
  if (defaultResolution !== undefined && !(defaultResolution in resolutions)) {
    const names = Object.keys(resolutions).join(', ');
    yield ['defaultResolution', `must be one of ${names} (got "${defaultResolution}")`];
  }
  const takes = (type: (typeof generationTypes)[number]) => types.includes(type);
  const { images = 0, videos = 0, audios = 0, audioAlone = false } = references ?? {};
  if (takes('reference-to-video') && images + videos + (audioAlone ? audios : 0) === 0) {
    yield ['references', 'must say what reference-to-video takes, such as { images: 4 }'];
  }
  if (!takes('reference-to-video') && references) {
    yield ['references', 'needs reference-to-video in generationTypes (add it or remove this)'];
  }
  if (!takes('image-to-video') && frames) {
    yield ['frames', 'needs image-to-video in generationTypes (add it or remove this)'];
  }
  if (editing !== false && videos === 0) {
    yield ['editing', 'needs reference-to-video and a video in references, such as { videos: 1 }'];
  }
  if (typeof editing === 'object' && editing.min > editing.max) {
    yield ['editing', 'must have min <= max, such as { min: 4, max: 30 }'];
  }
  if (ratios && !Array.isArray(ratios)) {
    const missing = types.find((type) => ratios[type] === undefined);
    if (missing) yield ['aspectRatios', `must have a list for ${missing}, such as ['16:9']`];
  }
  for (const [name, option] of Object.entries(options)) {
    if (option.type === 'number' && option.min > option.max) {
      yield ['options', `must have min <= max for ${name}, such as { min: 0, max: 1 }`];
    }
  }
}
