/**
 * Our generation as the input of Seedance on fal, endpoint by endpoint: there a duration is text,
 * and what we call adaptive is `auto`. What cannot be said there is refused beforehand.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { GenerationType, ModelName } from '@vidgen/contract/models.ts';
import { withoutParameters } from '../toolkit/prompt-parameters.ts';

/** One app with an endpoint for each mode below it, or each endpoint by itself. */
export type FalModel = string | { readonly [Type in GenerationType]?: string | undefined };
export type FalModels = { readonly [Name in ModelName]?: FalModel | undefined };

/** Undefined: the model, or this mode of it, is not configured. */
export function endpointOf(models: FalModels, generation: Generation): string | undefined {
  const { model, generationType } = generation;
  const configured = models[model];
  return typeof configured === 'string'
    ? `${configured}/${generationType}`
    : configured?.[generationType];
}

const namespaces = ['workflows', 'comfy'];

/** Requests are looked at under owner and app, without the path of the endpoint. */
export function appOf(endpoint: string): string {
  const parts = endpoint.split('/');
  return parts.slice(0, namespaces.includes(parts[0]!) ? 3 : 2).join('/');
}

export type FalInputRules = {
  readonly forwardSeed: boolean;
  /** Sent along with every start, as the operator configured it. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
};

/**
 * `web_search` and `return_last_frame` have no input here and promise nothing that is not
 * available: they are left out, and the last frame of the task is null.
 */
export function inputOf(generation: Generation, { forwardSeed, fields }: FalInputRules) {
  const { generationType, imageUrls, videoUrls, audioUrls, duration, aspectRatio } = generation;
  // -1 and none both mean "any seed"; 0 is a seed.
  const seed = forwardSeed ? (generation.seed ?? -1) : -1;
  return {
    ...fields,
    prompt: withoutParameters(generation.prompt),
    duration: duration === -1 ? 'auto' : String(duration),
    aspect_ratio: aspectRatio === 'adaptive' ? 'auto' : aspectRatio,
    resolution: generation.resolution,
    generate_audio: generation.generateAudio,
    ...(seed < 0 ? {} : { seed }),
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

/** Of model 2.5 alone. What is an extension is decided as in the previews: decision 0022. */
function taskOf({ model, duration, imageUrls, videoUrls }: Generation) {
  if (model !== 'vidgen-2-5') return {};
  if (duration === -1) return { task: 'editing' };
  const isExtension = videoUrls.length === 1 && imageUrls.length === 0;
  return { task: isExtension ? 'extension' : 'reference' };
}

const filesMax = 12;

/** Why not, in words for the customer that begin with the field; null when it can be said. */
export function unsupportedReason(generation: Generation, models: FalModels): string | null {
  const { model, generationType, imageUrls, videoUrls, audioUrls } = generation;
  if (models[model] !== undefined && endpointOf(models, generation) === undefined) {
    return `input.generation_type ${generationType} cannot be made`;
  }
  // Whoever asks for a mark may have to show one: a video without it is not what was ordered.
  if (generation.watermark) return 'input.watermark true cannot be made';
  const files = imageUrls.length + videoUrls.length + audioUrls.length;
  if (model !== 'vidgen-2-5' && files > filesMax) {
    const lists = 'input.image_urls, input.video_urls and input.audio_urls';
    return `${lists} with ${files} files cannot be used, at most ${filesMax} together`;
  }
  return null;
}
