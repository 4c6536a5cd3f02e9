/**
 * Request and response of `POST /v1/videos/generations` (docs/spec.md 2.2 and 2.3). The schema
 * defines types and names; rules that depend on the model or the generation type are in the
 * descriptions and are checked by the server's catalog.
 */
import { z } from 'zod';
import { Metadata } from './metadata.ts';
import {
  type AspectRatio,
  aspectRatios,
  type GenerationType,
  generationTypes,
  type ModelName,
  modelNames,
  type Resolution,
  resolutions,
} from './models.ts';

export const promptCharactersMax = 10_000;
export const seedMax = 4_294_967_295;

/**
 * Defaults of omitted fields (docs/spec.md 2.2). `seed` has no default with `vidgen-2-5`, which has
 * no seed.
 */
export const generationDefaults = {
  generation_type: 'text-to-video',
  image_urls: [],
  video_urls: [],
  audio_urls: [],
  duration: 5,
  aspect_ratio: 'adaptive',
  resolution: '720p',
  generate_audio: true,
  watermark: false,
  web_search: false,
  return_last_frame: false,
  seed: -1,
} as const;

/** An optional field, documented with its default; the server fills it in, not the schema. */
const optional = <Field extends z.ZodType>(
  field: Field,
  name: Exclude<keyof typeof generationDefaults, 'seed'>,
  description: string,
) => field.optional().meta({ default: generationDefaults[name], description });

export const GenerationInput = z
  .strictObject({
    prompt: z
      .string()
      .regex(/\S/, 'must not be empty')
      .describe(
        'What to show. 1 to 10,000 characters after trimming; only whitespace is empty. It ' +
          'is stored and rendered trimmed.',
      ),
    generation_type: optional(
      z.enum(generationTypes),
      'generation_type',
      'The mode. `text-to-video`: the prompt alone; materials are ignored. `image-to-video`: ' +
        'one image (first frame) or two (first and last frame). `reference-to-video`: at least ' +
        'one image, video or audio reference; with `vidgen-2-5` also video editing (`duration` ' +
        '-1) and video extension.',
    ),
    image_urls: optional(
      z.array(z.string()),
      'image_urls',
      'Publicly reachable `http` or `https` addresses, at most 2,048 characters each, or base64 ' +
        'data URIs, which become files. ' +
        '`image-to-video`: 1 or 2, required. `reference-to-video`: up to 30 (`vidgen-2-5`), up ' +
        'to 9 (model 2.0). `vidgen-2-5` takes at most 50 materials over all three lists. ' +
        'Ignored in `text-to-video`.',
    ),
    video_urls: optional(
      z.array(z.string()),
      'video_urls',
      'Publicly reachable addresses of reference videos, `reference-to-video` only. ' +
        '`vidgen-2-5`: up to 10, each 2 to 30 s (4 to 30 s for video editing), at most 30 s ' +
        'combined. Model 2.0: up to 3, at most 15 s combined. Ignored in the other modes.',
    ),
    audio_urls: optional(
      z.array(z.string()),
      'audio_urls',
      'Publicly reachable addresses of reference audio, `reference-to-video` only. ' +
        '`vidgen-2-5`: up to 10, each 2 to 30 s, at most 30 s combined; may be the only ' +
        'reference. Model 2.0: up to 3, at most 15 s combined, and at least one image or video ' +
        'beside them. Ignored in the other modes.',
    ),
    duration: optional(
      z.int().min(-1).max(30),
      'duration',
      'Seconds of output. `vidgen-2-5`: 4 to 30; model 2.0: 4 to 15. -1 is video editing: ' +
        'only `vidgen-2-5`, `reference-to-video`, with at least one video; the output is then ' +
        'as long as the video that the prompt is about.',
    ),
    aspect_ratio: optional(
      z.enum(aspectRatios),
      'aspect_ratio',
      'Must be `adaptive` with `vidgen-2-5` in `image-to-video` and for video editing ' +
        '(`duration` -1); for video extension other values are likely to fail.',
    ),
    resolution: optional(
      z.enum(resolutions),
      'resolution',
      '`vidgen-2-5`: `480p`, `720p`, `1080p`. `vidgen-2-0`: `480p`, `720p`, `1080p`, `4k`. ' +
        '`vidgen-2-0-fast` and `vidgen-2-0-mini`: `480p`, `720p`.',
    ),
    generate_audio: optional(z.boolean(), 'generate_audio', 'Audio is generated when supported.'),
    watermark: optional(z.boolean(), 'watermark', 'A visible mark on the video.'),
    web_search: optional(z.boolean(), 'web_search', 'Web search augmentation when supported.'),
    return_last_frame: optional(
      z.boolean(),
      'return_last_frame',
      'The completed task then shows `last_frame_url` when it is available.',
    ),
    seed: z
      .int()
      .min(-1)
      .max(seedMax)
      .optional()
      .describe(
        'Model 2.0 only: -1 (the default, a random one) or 0 to 4294967295. `vidgen-2-5` ' +
          'does not support it and refuses the field, even as -1: omit it.',
      ),
  })
  .meta({ id: 'GenerationInput' });
export type GenerationInput = z.infer<typeof GenerationInput>;

export const CreateGenerationRequest = z
  .strictObject({
    model: z.enum(modelNames).describe('Which model renders the video; limits depend on it.'),
    callback_url: z
      .string()
      .optional()
      .describe(
        'Where to call when the task has completed or failed; no call is made without it. An ' +
          '`https` address of at most 2,048 characters, port 443 or 1024 and up, no user name ' +
          'or password, never in private, loopback or link-local network ranges.',
      ),
    input: GenerationInput,
    metadata: Metadata.optional().describe(
      'Extension. Your own pairs, such as an order number: up to 16, keys of 1 to 64 characters, ' +
        '2,048 bytes of keys and values together. The task and its webhook show them as sent; ' +
        'no provider receives them.',
    ),
  })
  .meta({ id: 'CreateGenerationRequest' });
export type CreateGenerationRequest = z.infer<typeof CreateGenerationRequest>;

export const CreateGenerationResponse = z
  .strictObject({
    taskId: z.string().describe('ID of the task, for polling and in webhooks.'),
    credits: z.int().min(1).describe('Exact number of credits reserved for this task.'),
  })
  .meta({ id: 'CreateGenerationAnswer' });
export type CreateGenerationResponse = z.infer<typeof CreateGenerationResponse>;

/** Extension: `POST /v1/videos/generations/estimate` takes the same body and reserves nothing. */
export const EstimateResponse = z
  .object({
    credits: z
      .int()
      .min(1)
      .describe(
        'What a create of this request would reserve. Nothing is fetched: video editing is ' +
          'priced as if its source were 30 s long, unless it was uploaded here.',
      ),
  })
  .meta({ id: 'EstimateAnswer' });
export type EstimateResponse = z.infer<typeof EstimateResponse>;

/**
 * The request after defaults. It is priced, stored and sent to a provider, so that what is billed
 * is what is rendered. Ignored materials are left out; `seed` is null if the model has none.
 */
export type Generation = {
  readonly model: ModelName;
  /** Trimmed. */
  readonly prompt: string;
  readonly generationType: GenerationType;
  readonly imageUrls: readonly string[];
  readonly videoUrls: readonly string[];
  readonly audioUrls: readonly string[];
  /** Seconds; -1 is video editing, as long as its source (docs/spec.md 4.3.6). */
  readonly duration: number;
  readonly aspectRatio: AspectRatio;
  readonly resolution: Resolution;
  readonly generateAudio: boolean;
  readonly watermark: boolean;
  readonly webSearch: boolean;
  readonly returnLastFrame: boolean;
  readonly seed: number | null;
  /** Paths of the fields that were sent and left out. Missing without any, and in older tasks. */
  readonly ignored?: readonly string[];
};
