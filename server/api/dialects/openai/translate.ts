/** Requests in OpenAI's format as our own create. Its documented defaults apply. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import type { AspectRatio, ModelName, Resolution } from '@vidgen/contract/models.ts';
import type {
  CreateVideoRequest,
  EditVideoRequest,
  ExtendVideoRequest,
} from '@vidgen/contract/openai-videos.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import { editingDuration } from '../../../catalog/models.ts';
import { resolveModel } from '../translated-create.ts';
import { formatOfSize } from '../video-size.ts';

/** Our create with what the answer shows filled in. */
export type TranslatedRequest = Omit<CreateGenerationRequest, 'input'> & {
  readonly input: CreateGenerationRequest['input'] & {
    readonly duration: number;
    readonly resolution: Resolution;
    readonly aspect_ratio: AspectRatio;
  };
};

/** What OpenAI's clients mean when they name none. */
const defaults = { model: 'sora-2', seconds: '4', size: '720x1280' } as const;

export function translateCreate(catalog: Catalog, body: CreateVideoRequest): TranslatedRequest {
  const { prompt, callback_url, size = defaults.size, input_reference: reference } = body;
  const model = createModel(catalog, body.model);
  const limits = catalog.find(model)?.limits;
  const { resolution, aspectRatio } = formatOfSize(size, { model, limits });
  if (limits && !limits.resolutions.includes(resolution)) {
    const rule = `size must be one of ${limits.resolutions.join(', ')} for ${model}`;
    throw invalid(`${rule} (got ${formatValue(size)}, which is ${resolution})`);
  }
  const imageUrl = imageUrlOf(reference);
  // Where a model takes the aspect ratio from the image, the size says only how large.
  const isAdaptive =
    imageUrl !== null && limits && !limits.aspectRatios['image-to-video'].includes(aspectRatio);
  return {
    model,
    ...(callback_url === undefined ? {} : { callback_url }),
    input: {
      prompt,
      ...(imageUrl === null ? {} : { generation_type: 'image-to-video', image_urls: [imageUrl] }),
      duration: wholeSeconds(body.seconds ?? defaults.seconds),
      resolution,
      aspect_ratio: isAdaptive ? 'adaptive' : aspectRatio,
      // The only image of the result, for `variant=thumbnail`.
      return_last_frame: true,
    },
  };
}

/** A source, and the model and resolution of the task that rendered it, if it is ours. */
export type VideoSource = {
  readonly url: string;
  readonly model?: ModelName;
  readonly resolution?: Resolution;
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
      duration: 'seconds' in body ? wholeSeconds(body.seconds) : editingDuration,
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
  throw invalid(`model is required: one of ${catalog.names().join(', ')}`);
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
  throw invalid('model is required: no model of this installation edits videos');
}

function imageUrlOf(reference: CreateVideoRequest['input_reference']): string | null {
  if (!reference) return null;
  const { image_url: url } = reference;
  if (url === undefined) throw invalid('input_reference.image_url is required');
  return url;
}

/** To the nearest whole second; the limits of the model are checked by the create. */
function wholeSeconds(seconds: string | number): number {
  const isDecimal = typeof seconds === 'number' || /^\s*\d{1,4}(\.\d{1,9})?\s*$/.test(seconds);
  const value = isDecimal ? Number(seconds) : Number.NaN;
  // Rejects -1 too, which would be an edit.
  if (value >= 0 && value <= 1000) return Math.round(value);
  throw invalid(`seconds must be a number of seconds, such as "8" (got ${formatValue(seconds)})`);
}

const invalid = (message: string): ApiError => new ApiError('invalid_request', message);
