/** Predictions of Replicate's clients as our own create. */
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import type { GenerationType } from '@vidgen/contract/models.ts';
import type {
  CreatePredictionRequest,
  PredictionInput,
} from '@vidgen/contract/replicate-predictions.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { Model } from '../../../catalog/models.ts';
import { resolveModel, type TranslatedCreate } from '../translated-create.ts';
import { formatOfSize } from '../video-size.ts';

/** Of models whose names have no owner. A model or an alias with the whole name wins. */
const ownOwner = 'vidgen';

/** `{owner}/{name}`, as Replicate's clients need it. */
export const ownedName = (model: string): string =>
  model.includes('/') ? model : `${ownOwner}/${model}`;

export function findOwnedModel(catalog: Catalog, [owner, name]: readonly string[]): Model {
  const names = [`${owner}/${name}`, ...(owner === ownOwner ? [name!] : [])];
  const [found] = names.flatMap((one) => catalog.find(resolveModel(catalog, one)) ?? []);
  if (found) return found;
  throw notFound(
    `model ${formatValue(names[0])} is not served here; use a model of GET /v1/models, with ` +
      `the owner ${ownOwner} if its name has none`,
  );
}

/** Fields of our own create with the same name and meaning. */
const sameFields = [
  ...(['prompt', 'duration', 'resolution', 'aspect_ratio'] as const),
  ...(['seed', 'generate_audio', 'watermark'] as const),
];
/** Replicate's models differ in what they call their frames; all take all of these names. */
const frames = [
  ['image', 'start_image', 'first_frame_image'],
  ['last_frame_image', 'last_frame', 'end_image'],
] as const;
const references = {
  image_urls: 'reference_images',
  video_urls: 'reference_videos',
  audio_urls: 'reference_audios',
} as const;
const known: ReadonlySet<string> = new Set([
  ...[...sameFields, ...frames.flat(), ...Object.values(references), 'size'],
]);

export function translatePrediction(
  model: Model,
  { input, webhook }: CreatePredictionRequest,
): TranslatedCreate {
  const { resolution, aspect_ratio, size } = input;
  const { type, urls, fieldNames } = materialsOf(input);
  const options = Object.entries(input).filter(([field]) => !known.has(field));
  const same = sameFields.filter((field) => input[field] !== undefined);
  return {
    body: {
      model: model.name,
      ...(webhook === undefined ? {} : { callback_url: webhook }),
      input: {
        ...(type === undefined ? {} : { generation_type: type, ...urls }),
        ...(size === undefined ? {} : formatOf(size, model, type)),
        ...Object.fromEntries(same.map((field) => [field, input[field]])),
        ...(resolution === undefined ? {} : { resolution: resolution.toLowerCase() }),
        ...(options.length === 0 ? {} : { options: Object.fromEntries(options) }),
      },
    },
    fieldNames: {
      callback_url: 'webhook',
      options: 'input',
      ...Object.fromEntries(
        Object.entries(references).map(([ours, name]) => [ours, `input.${name}`]),
      ),
      ...fieldNames,
      ...(resolution === undefined && size ? { resolution: 'input.size' } : {}),
      ...(aspect_ratio === undefined && size ? { aspect_ratio: 'input.size' } : {}),
    },
    // The webhook URL of the account gets our own webhooks.
    ...(webhook === undefined ? {} : { dialect: { name: 'replicate', model: model.name } }),
  };
}

function formatOf(size: string, { name: model, limits }: Model, type?: GenerationType) {
  const { resolution, aspectRatio } = formatOfSize(size, { model, limits });
  // The model takes the aspect ratio from the first frame, whatever the size says.
  const adapts = type === 'image-to-video' && limits.aspectRatios[type].length === 1;
  return { resolution, aspect_ratio: adapts ? 'adaptive' : aspectRatio };
}

function materialsOf(input: PredictionInput) {
  const [first, last] = frames.map((names) => {
    const [field, second] = names.filter((name) => input[name] !== undefined);
    if (second === undefined) return field;
    throw invalidRequest(
      `input.${second} must be omitted with input.${field}, which means the same`,
    );
  });
  const items = Object.entries(references).flatMap(([list, field]) =>
    (input[field] ?? []).map((url, at) => ({ list, path: `input.${field}[${at}]`, url })),
  );
  if (first === undefined && last)
    throw invalidRequest(`input.${last} needs a first frame, input.image`);
  if (first && items[0])
    throw invalidRequest(`${items[0].path} must be omitted with input.${first}`);
  for (const field of [first, last]) {
    if (field) items.push({ list: 'image_urls', path: `input.${field}`, url: input[field]! });
  }
  const urls: Record<string, string[]> = {};
  const fieldNames: Record<string, string> = {};
  for (const { list, path, url } of items) {
    urls[list] ??= [];
    fieldNames[`${list}[${urls[list].push(url) - 1}]`] = path;
  }
  const type = first ? ('image-to-video' as const) : ('reference-to-video' as const);
  return { type: items.length === 0 ? undefined : type, urls, fieldNames };
}
