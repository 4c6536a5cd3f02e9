/**
 * Our generation as the input of a model on Replicate. Every model names its inputs itself: the
 * names are those of Seedance unless the operator gives others, and what a model has no name for is
 * refused beforehand, never dropped.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { withoutParameters } from '../toolkit/prompt-parameters.ts';

/** Null: the model has no such input. */
export type InputNames = {
  readonly prompt: string;
  readonly duration: string;
  readonly resolution: string;
  readonly aspectRatio: string;
  readonly firstFrame: string | null;
  readonly lastFrame: string | null;
  readonly images: string | null;
  readonly videos: string | null;
  readonly audios: string | null;
  readonly sound: string | null;
  readonly seed: string | null;
};

export const seedanceInputs: InputNames = {
  prompt: 'prompt',
  duration: 'duration',
  resolution: 'resolution',
  aspectRatio: 'aspect_ratio',
  firstFrame: 'image',
  lastFrame: 'last_frame_image',
  images: 'reference_images',
  videos: 'reference_videos',
  audios: 'reference_audios',
  sound: 'generate_audio',
  seed: 'seed',
};

export type InputLimits = {
  readonly images: number;
  readonly videos: number;
  readonly audios: number;
  readonly seconds: number;
  /** Whoever writes more is not cut short in silence. */
  readonly promptCharacters: number;
};

/** What Replicate documents for Seedance; a prompt's length is not limited there. */
export const seedanceLimits: InputLimits = {
  images: 9,
  videos: 3,
  audios: 3,
  seconds: 15,
  promptCharacters: 10_000,
};

export type ReplicateInputRules = {
  readonly names: InputNames;
  readonly limits: InputLimits;
  /** Sent along with every start, as the operator configured it. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
};

/**
 * `generate_audio` and `seed` are left out where the model has neither: sound is made "when
 * supported" (Spec 2.2), and any seed is as good. `web_search` and `return_last_frame` have no
 * input anywhere here and promise nothing that is not available: the last frame is null then.
 */
export function inputOf(
  generation: Generation,
  rules: ReplicateInputRules,
): Record<string, unknown> {
  const { names, fields } = rules;
  const input: Record<string, unknown> = { ...fields };
  const put = (name: string | null, value: unknown): void => {
    if (name !== null && value !== undefined) input[name] = value;
  };
  put(names.prompt, withoutParameters(generation.prompt));
  put(names.duration, generation.duration);
  put(names.resolution, generation.resolution);
  put(names.aspectRatio, generation.aspectRatio);
  put(names.sound, generation.generateAudio);
  // -1 and none both mean "any seed"; 0 is a seed.
  put(names.seed, (generation.seed ?? -1) < 0 ? undefined : generation.seed);
  switch (generation.generationType) {
    case 'text-to-video':
      break;
    case 'image-to-video':
      put(names.firstFrame, generation.imageUrls[0]);
      put(names.lastFrame, generation.imageUrls[1]);
      break;
    case 'reference-to-video':
      put(names.images, nonEmpty(generation.imageUrls));
      put(names.videos, nonEmpty(generation.videoUrls));
      put(names.audios, nonEmpty(generation.audioUrls));
      break;
  }
  return input;
}

const nonEmpty = (urls: readonly string[]) => (urls.length > 0 ? urls : undefined);

/** Why not, in words for the customer that begin with the field; null when it can be said. */
export function unsupportedReason(
  generation: Generation,
  rules: ReplicateInputRules,
): string | null {
  const { limits } = rules;
  // Whoever asks for a mark may have to show one: a video without it is not what was ordered.
  if (generation.watermark) return 'input.watermark true cannot be made';
  if (generation.duration > limits.seconds) {
    return `input.duration ${generation.duration} cannot be made, at most ${limits.seconds}`;
  }
  if (generation.prompt.length > limits.promptCharacters) {
    return `input.prompt cannot be longer than ${limits.promptCharacters} characters here`;
  }
  switch (generation.generationType) {
    case 'text-to-video':
      return null;
    case 'image-to-video':
      return unsupportedFrames(generation, rules);
    case 'reference-to-video':
      return unsupportedReferences(generation, rules);
  }
}

function unsupportedFrames(
  { imageUrls }: Generation,
  { names }: ReplicateInputRules,
): string | null {
  if (names.firstFrame === null) return 'input.generation_type image-to-video cannot be made';
  if (imageUrls.length > 1 && names.lastFrame === null) {
    return 'input.image_urls with a last frame cannot be made, only with a first';
  }
  return null;
}

function unsupportedReferences(generation: Generation, rules: ReplicateInputRules): string | null {
  const lists = [
    ['image_urls', 'images', generation.imageUrls],
    ['video_urls', 'videos', generation.videoUrls],
    ['audio_urls', 'audios', generation.audioUrls],
  ] as const;
  for (const [field, kind, urls] of lists) {
    if (urls.length === 0) continue;
    if (rules.names[kind] === null) return `input.${field} cannot be used`;
    if (urls.length > rules.limits[kind]) {
      return `input.${field} with ${urls.length} cannot be used, at most ${rules.limits[kind]}`;
    }
  }
  const isAudioOnly = generation.imageUrls.length + generation.videoUrls.length === 0;
  return isAudioOnly ? 'input.audio_urls alone cannot be used, only with an image or video' : null;
}
