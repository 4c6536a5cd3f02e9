/** A generation as the input of Seedance on fal, and the generations that it cannot express. */
import { editingDuration, type Generation } from '@vidgen/contract/create-generation.ts';
import type { GenerationType, ModelName } from '@vidgen/contract/models.ts';
import { cannotMake, explicitSeed, withoutParameters } from '../toolkit/generation-input.ts';
import { type ConstantFields, fillFields } from '../toolkit/options.ts';

/** One app with an endpoint per generation type below it, or the endpoint of each type. */
type FalModel = string | { readonly [Type in GenerationType]?: string | undefined };
export type FalModels = { readonly [Name in ModelName]?: FalModel | undefined };

/** Returns undefined when the model or its generation type is not configured. */
export function endpointOf(models: FalModels, generation: Generation): string | undefined {
  const { model, generationType } = generation;
  const configured = models[model];
  return typeof configured === 'string'
    ? `${configured}/${generationType}`
    : configured?.[generationType];
}

const namespaces = ['workflows', 'comfy'];

/** Requests are read and cancelled below owner and app, without the path of the endpoint. */
export function appOf(endpoint: string): string {
  const parts = endpoint.split('/');
  return parts.slice(0, namespaces.includes(parts[0]!) ? 3 : 2).join('/');
}

type FalInputRules = {
  readonly forwardSeed: boolean;
  /** From the configuration, sent with every start. */
  readonly fields: ConstantFields;
};

/** `web_search` and `return_last_frame` have no input and are ignored: no last frame then. */
export function inputOf(generation: Generation, { forwardSeed, fields }: FalInputRules) {
  const { generationType, imageUrls, videoUrls, audioUrls, duration, aspectRatio } = generation;
  const seed = forwardSeed ? explicitSeed(generation) : undefined;
  return {
    ...fillFields(fields, generation),
    prompt: withoutParameters(generation.prompt),
    duration: duration === editingDuration ? 'auto' : String(duration),
    aspect_ratio: aspectRatio === 'adaptive' ? 'auto' : aspectRatio,
    resolution: generation.resolution,
    generate_audio: generation.generateAudio,
    ...(seed === undefined ? {} : { seed }),
    ...(generationType === 'image-to-video'
      ? { image_url: imageUrls[0], ...(imageUrls[1] ? { end_image_url: imageUrls[1] } : {}) }
      : {}),
    ...(generationType === 'reference-to-video'
      ? {
          ...(imageUrls.length > 0 ? { image_urls: imageUrls } : {}),
          ...(videoUrls.length > 0 ? { video_urls: videoUrls } : {}),
          ...(audioUrls.length > 0 ? { audio_urls: audioUrls } : {}),
          ...taskOf(generation),
        }
      : {}),
  };
}

/**
 * Model 2.5 only, and only for an edit, which `duration` -1 requests. The model judges the intent
 * from the prompt and fails when another task was named; `extension` also locks the ratio.
 */
const taskOf = ({ model, duration }: Generation) =>
  model === 'vidgen-2-5' && duration === editingDuration ? { task: 'editing' } : {};

const filesMax = 12;

/** Returns why a generation cannot be made, as a message for the customer, or null. */
export function unsupportedReason(generation: Generation, models: FalModels): string | null {
  const { model, generationType, imageUrls, videoUrls, audioUrls } = generation;
  if (models[model] !== undefined && endpointOf(models, generation) === undefined) {
    return cannotMake('generation_type', generationType);
  }
  // Customers may be obliged to show a watermark, so it is never silently omitted.
  if (generation.watermark) return cannotMake('watermark', true);
  const files = imageUrls.length + videoUrls.length + audioUrls.length;
  if (model !== 'vidgen-2-5' && files > filesMax) {
    const lists = 'input.image_urls, input.video_urls and input.audio_urls';
    return `${lists} with ${files} files is not supported (at most ${filesMax})`;
  }
  return null;
}
