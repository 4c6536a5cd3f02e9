/**
 * The models that a preset can make. Their limits follow from its settings; what those do not say
 * is written beside each model.
 */
import type { PresetModel as NamedModel } from '@vidgen/contract/admin-presets.ts';
import type { DeclaredModel, Rate } from '@vidgen/contract/model-declaration.ts';
import { type AspectRatio, aspectRatios, generationTypes } from '@vidgen/contract/models.ts';
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';

/** A declaration without prices, with the upstream's name of the model. */
type PresetModel = Omit<NamedModel, 'name'>;
type Settings = Omit<DeclaredSettings, 'baseUrl'>;
type Given = Partial<PresetModel> & Pick<PresetModel, 'upstream' | 'title'>;

/** Models by the names to declare them by. */
export const modelsOf = <Name extends string>(
  settings: Settings,
  given: Readonly<Record<Name, Given>>,
) => {
  const models = Object.entries<Given>(given).map(([name, model]) => {
    const limits = limitsOf({ ...settings, ...settings.byModel?.[name] }, model);
    return [name, { ...limits, ...model }] as const;
  });
  return Object.fromEntries(models) as Record<Name, PresetModel>;
};

/** The declaration of a preset's model at your prices, for `models` of vidgen.config.ts. */
export function priced(
  { upstream: _, ...limits }: PresetModel,
  resolutions: Readonly<Record<string, Rate>>,
): DeclaredModel {
  return { ...limits, resolutions: { ...resolutions } };
}

function limitsOf(settings: Settings, given: Given): Omit<PresetModel, 'upstream' | 'title'> {
  const { start, supports = {}, sizes, resolutions = {}, seconds } = settings;
  const body = JSON.stringify(start.body);
  const countOf = (placeholder: string): number => body.split(`{{${placeholder}`).length - 1;
  const sends = (placeholder: string): boolean => countOf(placeholder) > 0;
  const takes = {
    'text-to-video': true,
    'image-to-video': sends('first_frame'),
    'reference-to-video': sends('image_'),
  };
  const types = (given.generationTypes ?? supports.generationTypes ?? generationTypes).filter(
    (type) => takes[type] && (typeof start.path === 'string' || start.path[type] !== undefined),
  );
  const files = { images: countOf('image_'), videos: countOf('video_'), audios: countOf('audio_') };
  return {
    generationTypes: types,
    seconds: seconds ?? { min: 4, max: supports.secondsMax ?? 15 },
    resolutions: Object.keys(sizes ?? resolutions),
    aspectRatios: Object.fromEntries(types.map((type) => [type, ratiosOf(settings, type)])),
    ...(types.includes('image-to-video') ? { frames: { last: sends('last_frame') } } : {}),
    ...(types.includes('reference-to-video') ? { references: files } : {}),
    sound: sends('sound') ? 'optional' : 'never',
    seed: sends('seed}}'),
    promptCharactersMax: supports.promptCharactersMax,
  };
}

/** Without a file there is no shape to adapt to. */
function ratiosOf(settings: Settings, type: (typeof generationTypes)[number]): AspectRatio[] {
  const { ratios, sizes, followsFirstFrame } = settings;
  if (followsFirstFrame && type === 'image-to-video') return ['adaptive'];
  const made = sizes ? Object.values(sizes)[0]! : (ratios ?? {});
  return aspectRatios.filter(
    (ratio) => made[ratio] !== undefined && (ratio !== 'adaptive' || type !== 'text-to-video'),
  );
}
