/** Requests in OpenAI's format as our own create. Its documented defaults apply. */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import {
  type CreateGenerationRequest,
  editingDuration,
} from '@vidgen/contract/create-generation.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import type {
  AspectRatio,
  GenerationType,
  ModelName,
  Resolution,
} from '@vidgen/contract/models.ts';
import type {
  CreateVideoRequest,
  EditVideoRequest,
  ExtendVideoRequest,
} from '@vidgen/contract/openai-videos.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import { defaultType } from '../../../catalog/draft.ts';
import { defaultOf, type Model, type ModelLimits } from '../../../catalog/models.ts';
import { type FieldNames, resolveModel } from '../translated-create.ts';
import { formatOfSize } from '../video-size.ts';
import { either, materialsOf } from './materials.ts';

/** Our create with what the answer shows filled in. */
export type TranslatedRequest = Omit<CreateGenerationRequest, 'input'> & {
  readonly input: CreateGenerationRequest['input'] & {
    readonly duration: number;
    readonly resolution: Resolution;
    readonly aspect_ratio: AspectRatio;
  };
};

/** What OpenAI's clients mean when they name none. */
const defaults = { model: 'sora-2', seconds: 4, size: '720x1280' } as const;

export function translateCreate(
  catalog: Catalog,
  body: CreateVideoRequest,
): { readonly body: TranslatedRequest; readonly fieldNames: FieldNames } {
  const { prompt, callback_url, metadata, seed } = body;
  const model = createModel(catalog, body.model);
  const found = catalog.find(model);
  const materials = materialsOf(body);
  const type = materials?.input.generation_type ?? defaultType(found);
  if (materials && found && !found.limits.generationTypes.includes(type)) {
    throw invalidRequest(`${materials.field} must be omitted for ${model}, which makes no ${type}`);
  }
  const [secondsName, seconds] = either({ seconds: body.seconds, duration: body.duration });
  const [audioName, audio] = either({ audio: body.audio, generate_audio: body.generate_audio });
  const format = formatOf(body, { model, found, type });
  const options = optionsOf(body, found);
  return {
    body: {
      model,
      ...(callback_url === undefined ? {} : { callback_url }),
      ...(metadata === undefined ? {} : { metadata }),
      input: {
        prompt,
        ...materials?.input,
        duration:
          seconds === undefined
            ? (declaredOf(found)?.durationSeconds.default ?? defaults.seconds)
            : wholeSeconds(secondsName, seconds),
        ...format.input,
        ...(audio === undefined ? {} : { generate_audio: String(audio) === 'true' }),
        ...(seed === undefined ? {} : { seed: Number(seed) }),
        ...options.input,
        // The only image of the result, for `variant=thumbnail`.
        return_last_frame: true,
      },
    },
    fieldNames: {
      prompt: 'prompt',
      seed: 'seed',
      duration: secondsName,
      generate_audio: audioName,
      image_urls: 'image',
      video_urls: 'reference_videos',
      ...materials?.fieldNames,
      ...format.fieldNames,
      ...options.fieldNames,
    },
  };
}

/** A declared model has defaults of its own. */
const declaredOf = (model: Model | undefined): ModelLimits | undefined =>
  model?.source === 'contract' ? undefined : model?.limits;

type Target = {
  readonly model: ModelName;
  readonly found: Model | undefined;
  readonly type: GenerationType;
};

function formatOf(body: CreateVideoRequest, { model, found, type }: Target) {
  const { size, aspect_ratio } = body;
  const limits = found?.limits;
  const ofSize = formatOfSize(size ?? defaults.size, { model, limits });
  if (size !== undefined && limits && !limits.resolutions.includes(ofSize.resolution)) {
    const rule = `size must be one of ${limits.resolutions.join(', ')} for ${model}`;
    throw invalidRequest(`${rule} (got ${formatValue(size)}, which is ${ofSize.resolution})`);
  }
  const sent = size === undefined ? undefined : ofSize;
  const [resolutionName, resolution] = either({
    size: sent?.resolution,
    resolution: body.resolution?.toLowerCase(),
  });
  const [ratioName, ratio] = either<AspectRatio>({ size: sent?.aspectRatio, aspect_ratio });
  const ratios = limits?.aspectRatios[type] ?? [];
  const declared = declaredOf(found);
  const usualRatio = declared ? defaultOf<AspectRatio>(ratios, 'adaptive') : ofSize.aspectRatio;
  // Where a model takes the aspect ratio from the image, the size says only how large.
  const isAdaptive = aspect_ratio === undefined && ratios.join() === 'adaptive';
  return {
    input: {
      resolution: resolution ?? declared?.defaultResolution ?? ofSize.resolution,
      aspect_ratio: isAdaptive ? 'adaptive' : (ratio ?? usualRatio),
    },
    fieldNames: { resolution: resolutionName, aspect_ratio: ratioName },
  };
}

/** In a form, numbers and booleans are text. */
function optionsOf({ options, negative_prompt }: CreateVideoRequest, model: Model | undefined) {
  const [negativeName, negative] = either({
    negative_prompt,
    'options.negative_prompt': options?.negative_prompt,
  });
  const sent = { ...options, ...(negative === undefined ? {} : { negative_prompt: negative }) };
  const typed = Object.entries(sent).map(([name, value]) => {
    const type = model?.limits.options[name]?.type;
    const isFlag = type === 'boolean' && (value === 'true' || value === 'false');
    const isNumber = type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(String(value));
    return [name, isFlag ? value === 'true' : isNumber ? Number(value) : value];
  });
  return {
    input: typed.length === 0 ? {} : { options: Object.fromEntries(typed) },
    fieldNames: { 'options.negative_prompt': negativeName },
  };
}

/** A source, and the model and resolution of the task that rendered it, if it is ours. */
export type VideoSource = {
  readonly url: string;
  readonly model?: ModelName;
  readonly resolution?: Resolution;
};

export const editFieldNames: FieldNames = {
  prompt: 'prompt',
  duration: 'seconds',
  resolution: 'size',
  aspect_ratio: 'size',
  video_urls: 'video',
};

export function translateEdit(
  catalog: Catalog,
  body: EditVideoRequest | ExtendVideoRequest,
  source: VideoSource,
): TranslatedRequest {
  const { prompt, callback_url } = body;
  const model = editingModel(catalog, { named: body.model, source });
  const { resolutions: offered, defaultResolution = '720p' } = catalog.find(model)?.limits ?? {};
  const resolution = offered?.find((name) => name === source.resolution) ?? defaultResolution;
  return {
    model,
    ...(callback_url === undefined ? {} : { callback_url }),
    input: {
      prompt,
      generation_type: 'reference-to-video',
      video_urls: [source.url],
      duration: 'seconds' in body ? wholeSeconds('seconds', body.seconds) : editingDuration,
      resolution,
      aspect_ratio: 'adaptive',
      return_last_frame: true,
    },
  };
}

function createModel(catalog: Catalog, named: string | undefined): ModelName {
  if (named !== undefined) return resolveModel(catalog, named);
  const model = catalog.aliases.get(defaults.model);
  if (model) return model;
  throw invalidRequest('model is required; GET /v1/models lists the models of this installation');
}

/** OpenAI's edits name no model. The one of the source is used if it edits videos. */
function editingModel(
  catalog: Catalog,
  { named, source }: { readonly named: string | undefined; readonly source: VideoSource },
): ModelName {
  if (named !== undefined) return resolveModel(catalog, named);
  const candidates = [source.model, catalog.aliases.get(defaults.model), ...catalog.names()];
  const found = candidates.find((model) => model && catalog.find(model)?.limits.editing);
  if (found) return found;
  throw invalidRequest('model is required: no model of this installation edits videos');
}

/** To the nearest whole second; the limits of the model are checked by the create. */
function wholeSeconds(name: string, seconds: string | number): number {
  const isDecimal = typeof seconds === 'number' || /^\s*\d{1,4}(\.\d{1,9})?\s*$/.test(seconds);
  const value = isDecimal ? Number(seconds) : Number.NaN;
  // Rejects -1 too, which would be an edit.
  if (value >= 0 && value <= 1000) return Math.round(value);
  throw invalidRequest(
    `${name} must be a number of seconds, such as "8" (got ${formatValue(seconds)})`,
  );
}
