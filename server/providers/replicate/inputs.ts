/**
 * A generation as the input of a model on Replicate. Every model has its own input names: those of
 * Seedance unless the configuration has others. A generation that needs an input the model lacks is
 * refused, never shortened.
 */
import {
  type Generation,
  outputSecondsMax,
  promptCharactersMax,
} from '@vidgen/contract/create-generation.ts';
import {
  type ModelName,
  modelNames,
  type Resolution,
  resolutions,
} from '@vidgen/contract/models.ts';
import {
  cannotMake,
  cannotMakeLastFrame,
  explicitSeed,
  type ReferenceCounts,
  unsupportedPrompt,
  unsupportedReferences,
  withoutParameters,
} from '../toolkit/generation-input.ts';
import { type ConstantFields, fillFields } from '../toolkit/options.ts';

export const seedanceInputs = {
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
  watermark: null as string | null,
};

type RequiredInput = 'prompt' | 'duration' | 'resolution' | 'aspectRatio';

/** Null when the model has no such input. */
export type InputNames = {
  readonly [Name in keyof typeof seedanceInputs]: Name extends RequiredInput
    ? string
    : string | null;
};

/** As the input schema of Seedance 2.0 on Replicate says. */
export const seedanceLimits = {
  images: 9,
  videos: 3,
  audios: 3,
  seconds: 15,
  /** A longer prompt is refused rather than truncated. */
  promptCharacters: 4_000,
  resolutions: resolutions as readonly Resolution[] | null,
};

export type InputLimits = Readonly<typeof seedanceLimits>;

/** The schema of Seedance 2.5, where it differs. Its prompts have no limit but the contract's. */
const seedance25 = {
  inputs: { watermark: 'watermark' },
  limits: {
    images: 30,
    videos: 10,
    audios: 10,
    seconds: 30,
    promptCharacters: 10_000,
    resolutions: ['480p', '720p'] as readonly Resolution[] | null,
  },
};

/** Of a declared model, which has limits of its own: those of its declaration. */
const declaredLimits: InputLimits = {
  images: 50,
  videos: 50,
  audios: 50,
  seconds: outputSecondsMax,
  promptCharacters: promptCharactersMax,
  resolutions: null,
};

/** Names and limits of the Seedance model with this name in the contract, or of another model. */
export const seedanceRules = (
  model: ModelName,
): { readonly names: InputNames; readonly limits: InputLimits } =>
  model === 'vidgen-2-5'
    ? { names: { ...seedanceInputs, ...seedance25.inputs }, limits: seedance25.limits }
    : {
        names: seedanceInputs,
        limits: modelNames.some((name) => name === model) ? seedanceLimits : declaredLimits,
      };

export type ReplicateInputRules = {
  readonly names: InputNames;
  readonly limits: InputLimits;
  /** From the configuration, sent with every start. */
  readonly fields: ConstantFields;
};

/**
 * `generate_audio` and `seed` are omitted for models without them: audio is generated "when
 * supported" (docs/spec.md 2.2). `web_search` and `return_last_frame` have no input and are
 * ignored: no last frame then.
 */
export function inputOf(
  generation: Generation,
  rules: ReplicateInputRules,
): Record<string, unknown> {
  const { names, fields } = rules;
  const input: Record<string, unknown> = { ...fillFields(fields, generation) };
  const put = (name: string | null, value: unknown): void => {
    if (name !== null && value !== undefined) input[name] = value;
  };
  put(names.prompt, withoutParameters(generation.prompt));
  put(names.duration, generation.duration);
  put(names.resolution, generation.resolution);
  put(names.aspectRatio, generation.aspectRatio);
  put(names.sound, generation.generateAudio);
  put(names.seed, explicitSeed(generation));
  put(names.watermark, generation.watermark);
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

/** Returns why a generation cannot be made, as a message for the customer, or null. */
export function unsupportedReason(
  generation: Generation,
  rules: ReplicateInputRules,
): string | null {
  const { limits, names } = rules;
  // Customers may be obliged to show a watermark, so it is never silently omitted.
  if (generation.watermark && names.watermark === null) return cannotMake('watermark', true);
  if (!(limits.resolutions?.includes(generation.resolution) ?? true)) {
    return cannotMake('resolution', generation.resolution);
  }
  if (generation.duration > limits.seconds) {
    return `${cannotMake('duration', generation.duration)} (at most ${limits.seconds})`;
  }
  const promptReason = unsupportedPrompt(generation, { max: limits.promptCharacters });
  if (promptReason !== null) return promptReason;
  switch (generation.generationType) {
    case 'text-to-video':
      return null;
    case 'image-to-video':
      if (names.firstFrame === null) return cannotMake('generation_type', 'image-to-video');
      return generation.imageUrls.length > 1 && names.lastFrame === null
        ? cannotMakeLastFrame
        : null;
    case 'reference-to-video': {
      const most = (kind: keyof ReferenceCounts) => (names[kind] === null ? 0 : limits[kind]);
      const counts = { images: most('images'), videos: most('videos'), audios: most('audios') };
      return unsupportedReferences(generation, { counts });
    }
  }
}
