/**
 * The create request of OpenRouter, which differs from OpenAI's: JSON, its own names, and the URLs
 * of materials instead of uploads.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { StartRequest } from '../provider.ts';
import { explicitSeed, withoutParameters } from '../toolkit/generation-input.ts';
import { fillFields } from '../toolkit/options.ts';
import type { Fields } from './wire.ts';

type CreateOptions = {
  readonly model: string;
  /** From the configured sizes; null when resolution and ratio are sent. */
  readonly size: string | null;
  readonly fields: Fields;
  readonly forwardSeed: boolean;
};

/** `web_search` and `return_last_frame` have no field and are ignored: no last frame then. */
export function openRouterBody(
  { generation, providerCallbackUrl }: StartRequest,
  { model, size, fields, forwardSeed }: CreateOptions,
) {
  const { resolution, aspectRatio } = generation;
  const seed = forwardSeed ? explicitSeed(generation) : undefined;
  return {
    ...fillFields(fields, generation),
    model,
    prompt: withoutParameters(generation.prompt),
    duration: generation.duration,
    ...(size === null ? { resolution: resolution.replace('k', 'K') } : { size }),
    // Without a ratio the model follows the first frame.
    ...(size === null && aspectRatio !== 'adaptive' ? { aspect_ratio: aspectRatio } : {}),
    // By default the model generates audio if it can; `true` is refused by one that cannot.
    ...(generation.generateAudio ? {} : { generate_audio: false }),
    ...(seed === undefined ? {} : { seed }),
    ...materialsOf(generation),
    // Other URLs are refused.
    ...(providerCallbackUrl?.startsWith('https:') ? { callback_url: providerCallbackUrl } : {}),
  };
}

function materialsOf({ generationType, imageUrls, videoUrls, audioUrls }: Generation) {
  switch (generationType) {
    case 'text-to-video':
      return {};
    case 'image-to-video': {
      const frameTypes = ['first_frame', 'last_frame'] as const;
      const frames = imageUrls.slice(0, frameTypes.length);
      return {
        frame_images: frames.map((url, index) => ({
          ...image(url),
          frame_type: frameTypes[index],
        })),
      };
    }
    case 'reference-to-video':
      return {
        input_references: [
          ...imageUrls.map(image),
          ...videoUrls.map((url) => ({ type: 'video_url', video_url: { url } })),
          ...audioUrls.map((url) => ({ type: 'audio_url', audio_url: { url } })),
        ],
      };
  }
}

const image = (url: string) => ({ type: 'image_url', image_url: { url } });

/**
 * OpenRouter ignores videos and audio files for other models, which customers would pay for all the
 * same.
 */
export const usesAllReferences = (model: string): boolean =>
  /^bytedance\/seedance-[2-9]/.test(model);
