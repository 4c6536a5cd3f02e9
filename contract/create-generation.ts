/**
 * Request and response of `POST /v1/videos/generations` (docs/spec.md 2.2 and 2.3). The schema
 * defines types and names; rules that depend on the model or the generation type are in the
 * descriptions and are checked by the server's catalog.
 */
import { z } from 'zod';
import { Metadata } from './metadata.ts';
import { ModelId, ResolutionName } from './model-name.ts';
import {
  type AspectRatio,
  aspectRatios,
  type GenerationType,
  generationTypes,
  type ModelName,
  type Resolution,
} from './models.ts';

export const promptCharactersMax = 10_000;
export const seedMax = 4_294_967_295;
/** docs/spec.md 4.3.6: the value that requests video editing. */
export const editingDuration = -1;
/** Of any model; 30 of those in the contract. */
export const outputSecondsMax = 300;

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

/** Of an option of a declared model. */
export const optionName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be a name like cfg_scale');

/**
 * An optional field; the server fills in its default, not the schema. The default is in the text
 * only: generators of clients make fields with a `default` required.
 */
const optional = <Field extends z.ZodType>(
  field: Field,
  name: Exclude<keyof typeof generationDefaults, 'seed'>,
  description: string,
) => field.optional().describe(`${description} Default: ${defaultText(generationDefaults[name])}.`);

const defaultText = (value: unknown): string =>
  Array.isArray(value) ? 'none' : `\`${String(value)}\``;

export const GenerationInput = z
  .strictObject({
    prompt: z
      .string()
      .regex(/\S/, 'must not be empty')
      .describe('What to show: 1 to 10,000 characters, without the whitespace around it.'),
    generation_type: optional(
      z.enum(generationTypes),
      'generation_type',
      'What the video is made from.\n\n' +
        '- `text-to-video`: the prompt alone; materials are ignored.\n' +
        '- `image-to-video`: one image (first frame) or two (first and last frame).\n' +
        '- `reference-to-video`: at least one image, video or audio; with `vidgen-2-5` also ' +
        'video editing (`duration` -1) and video extension.',
    ),
    image_urls: optional(
      z.array(z.string()),
      'image_urls',
      'Public `http` or `https` URLs of images, at most 2,048 characters each, or base64 data ' +
        'URIs.\n\n' +
        '- `text-to-video`: ignored.\n' +
        '- `image-to-video`: 1 or 2, required.\n' +
        '- `reference-to-video`: up to 30 with `vidgen-2-5`, up to 9 with model 2.0.\n\n' +
        '`vidgen-2-5` takes at most 50 materials in all three lists together.',
    ),
    video_urls: optional(
      z.array(z.string()),
      'video_urls',
      'Public URLs of reference videos, for `reference-to-video`; otherwise ignored.\n\n' +
        '- `vidgen-2-5`: up to 10, each 2 to 30 s (4 to 30 s for video editing), at most 30 s ' +
        'together.\n' +
        '- Model 2.0: up to 3, at most 15 s together.',
    ),
    audio_urls: optional(
      z.array(z.string()),
      'audio_urls',
      'Public URLs of reference audio, for `reference-to-video`; otherwise ignored.\n\n' +
        '- `vidgen-2-5`: up to 10, each 2 to 30 s, at most 30 s together; may be the only ' +
        'reference.\n' +
        '- Model 2.0: up to 3, at most 15 s together, with at least one image or video.',
    ),
    duration: optional(
      z.int().min(-1).max(outputSecondsMax),
      'duration',
      'Seconds of output.\n\n' +
        '- `vidgen-2-5`: 4 to 30.\n' +
        '- Model 2.0: 4 to 15.\n' +
        '- `-1`: video editing, with `vidgen-2-5`, `reference-to-video` and at least one video; ' +
        'the output is as long as the video that is edited.',
    ),
    aspect_ratio: optional(
      z.enum(aspectRatios),
      'aspect_ratio',
      'With `vidgen-2-5` it must be `adaptive` for `image-to-video` and video editing ' +
        '(`duration` -1); for video extension, other values are likely to fail.',
    ),
    resolution: optional(
      ResolutionName,
      'resolution',
      '- `vidgen-2-5`: up to `1080p`.\n' +
        '- `vidgen-2-0`: up to `4k`.\n' +
        '- `vidgen-2-0-fast` and `vidgen-2-0-mini`: up to `720p`.',
    ),
    generate_audio: optional(
      z.boolean(),
      'generate_audio',
      'Adds sound, if the model supports it.',
    ),
    watermark: optional(z.boolean(), 'watermark', 'Adds a visible mark to the video.'),
    web_search: optional(
      z.boolean(),
      'web_search',
      'Lets the model search the web, if it supports that.',
    ),
    return_last_frame: optional(
      z.boolean(),
      'return_last_frame',
      'Returns the last frame of the video as `last_frame_url`.',
    ),
    seed: z
      .int()
      .min(-1)
      .max(seedMax)
      .optional()
      .describe(
        'Model 2.0 only: 0 to 4294967295, or -1 for a random one (the default). Omit it with ' +
          '`vidgen-2-5`, which rejects the field, even -1.',
      ),
    options: z
      .record(
        optionName,
        z.union([z.string(), z.number(), z.boolean()], 'must be text, a number, true or false'),
      )
      .optional()
      .describe(
        'Extension. Options of a model that its operator declared, such as ' +
          '`{"negative_prompt": "text"}`. `GET /v1/models` lists them.',
      ),
  })
  .meta({ id: 'GenerationInput' });
export type GenerationInput = z.infer<typeof GenerationInput>;

export const CreateGenerationRequest = z
  .strictObject({
    model: ModelId.describe(
      'The model that generates the video: one of `GET /v1/models`. Limits and prices depend on ' +
        'it.',
    ),
    callback_url: z
      .string()
      .optional()
      .describe(
        'Receives a webhook when the task has completed or failed. A public `https` URL of at ' +
          'most 2,048 characters, with port 443 or 1024 and up, and without user name and ' +
          'password.',
      ),
    input: GenerationInput,
    metadata: Metadata.optional().describe(
      'Extension. Your own data, such as an order number: up to 16 pairs, keys of 1 to 64 ' +
        'characters, 2,048 bytes in all. Returned with the task and its webhook, and never sent ' +
        'to a provider.',
    ),
  })
  .meta({ id: 'CreateGenerationRequest' });
export type CreateGenerationRequest = z.infer<typeof CreateGenerationRequest>;

export const CreateGenerationResponse = z
  .strictObject({
    taskId: z.string().describe('ID of the task, for polling and in webhooks.'),
    credits: z.int().min(1).describe('Exact number of credits reserved for this task.'),
  })
  .meta({ id: 'CreateGenerationResponse' });
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
  .meta({ id: 'EstimateResponse' });
export type EstimateResponse = z.infer<typeof EstimateResponse>;

type GenerationOptions = Readonly<Record<string, string | number | boolean>>;

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
  /** Of a declared model. Missing without any. */
  readonly options?: GenerationOptions;
  /** The longest video that was paid for, where its seconds are priced and known. */
  readonly inputSecondsMax?: number;
  /** Paths of the fields that were sent and left out. Missing without any, and in older tasks. */
  readonly ignored?: readonly string[];
};

/**
 * A checked create request. All of it identifies a repeated request and is stored with the task, so
 * every field that a request may have is in here.
 */
export type CreateRequest = {
  readonly generation: Generation;
  /** What the request names. Without it, the account's own webhook URL is stored. */
  readonly callbackUrl: string | null;
  readonly metadata: Metadata | null;
};
