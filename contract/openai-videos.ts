/**
 * Extension: OpenAI's video format, as its clients send and read it (`openai` 7.53,
 * `src/resources/videos.ts`), with the fields that others have added to it (`@llmgateway/
 * ai-sdk-provider` 4, vLLM-Omni, SGLang). Values are checked like those of our own create.
 */
import { z } from 'zod';
import { CreateGenerationRequest, GenerationInput, seedMax } from './create-generation.ts';
import { NamedRequest } from './error-response.ts';
import { idParams, integerParam } from './list.ts';
import { Metadata } from './metadata.ts';
import { aspectRatios } from './models.ts';

export const VideoParams = idParams('The `id` of the video: the ID of its task.');

/** Width and height in pixels. */
export const isSize = (text: string): boolean => /^[1-9]\d{1,4}x[1-9]\d{1,4}$/.test(text);

const prompt = z.string().describe('What to show. 1 to 10,000 characters.');
const model = z
  .string()
  .optional()
  .describe('A model of `GET /v1/models`, or an alias. Default: what `sora-2` is an alias of.');
const secondsText = 'Seconds of output, as text or a number; rounded to whole seconds.';
const seconds = z
  .union([z.string(), z.number()], 'must be a number of seconds')
  .describe(secondsText);
const callback_url = z
  .string()
  .optional()
  .describe('Extension. Receives a signed webhook when the video has completed or failed.');
const user = z.string().optional().describe('Ignored.');

const Frame = z.union(
  [
    z.string(),
    z.strictObject({
      image_url: z.string().optional().describe('The URL of an image.'),
      file_id: z.string().optional().describe('The `id` of `POST /v1/files`.'),
    }),
  ],
  'must be a URL, or an object with image_url or file_id',
);
export type Frame = z.infer<typeof Frame>;

const reference = <Field extends string>(field: Field) =>
  z.union(
    [z.string(), z.strictObject({ [field]: z.string() } as Record<Field, z.ZodString>)],
    `must be a URL, or an object with ${field}`,
  );

const flag = z.union([z.boolean(), z.enum(['true', 'false'])], 'must be true or false');

/** Numbers and booleans are text in a form. */
export const CreateVideoRequest = z
  .strictObject({
    prompt,
    model,
    seconds: seconds.optional().describe(`${secondsText} Default: \`4\`, or the declared one.`),
    size: z
      .string()
      .refine(isSize, 'must be WIDTHxHEIGHT, such as 1280x720')
      .optional()
      .describe(
        'Width and height. The nearest size that the model renders is taken; the response says ' +
          'which. Default: `720x1280`, or that of the declared model.',
      ),
    input_reference: Frame.optional().describe('The first frame.'),
    duration: seconds.optional().describe('Extension. The same as `seconds`.'),
    resolution: z.string().optional().describe('Extension. `720p`, for example.'),
    aspect_ratio: z.enum(aspectRatios).optional().describe('Extension.'),
    image: Frame.optional().describe('Extension. The same as `input_reference`.'),
    last_frame: Frame.optional().describe('Extension. Needs a first frame.'),
    reference_images: z
      .array(reference('image_url'))
      .optional()
      .describe('Extension. Without frames.'),
    reference_videos: z
      .array(reference('video_url'))
      .optional()
      .describe('Extension. Without frames.'),
    audio: flag.optional().describe('Extension. Whether the video has sound.'),
    generate_audio: flag.optional().describe('Extension. The same as `audio`.'),
    seed: z
      .union([z.int().min(-1).max(seedMax), z.string().regex(/^(-1|\d{1,10})$/)], {
        error: `must be -1 or 0 to ${seedMax}`,
      })
      .optional()
      .describe('Extension. Only of models that take one.'),
    negative_prompt: z.string().optional().describe('Extension. `options.negative_prompt`.'),
    options: GenerationInput.shape.options,
    metadata: CreateGenerationRequest.shape.metadata,
    callback_url,
    user,
  })
  .meta({ id: 'OpenAiVideoRequest' });
export type CreateVideoRequest = z.infer<typeof CreateVideoRequest>;

const fileOf = (description: string) => z.string().meta({ format: 'binary', description });

const image = (what: string) => fileOf(`${what}: an image, or its URL.`);

export const CreateVideoForm = CreateVideoRequest.extend({
  input_reference: image('The first frame').optional(),
  image: image('The first frame').optional(),
  last_frame: image('The last frame').optional(),
  reference_images: z.array(image('A reference')).optional(),
  reference_videos: z.array(fileOf('A video, or its URL.')).optional(),
}).meta({ id: 'OpenAiVideoForm' });

const VideoSource = z
  .strictObject({
    id: z.string().optional().describe('A completed video of your account.'),
    url: z.string().optional().describe('Extension. The URL of a video.'),
  })
  .describe('Either `id` or `url`. In a form, the video itself.');

export const EditVideoRequest = z
  .strictObject({ prompt, video: VideoSource, model, callback_url, user })
  .meta({ id: 'OpenAiVideoEdit' });
export type EditVideoRequest = z.infer<typeof EditVideoRequest>;

export const ExtendVideoRequest = z
  .strictObject({ prompt, video: VideoSource, seconds, model, callback_url, user })
  .meta({ id: 'OpenAiVideoExtension' });
export type ExtendVideoRequest = z.infer<typeof ExtendVideoRequest>;

const sourceFile = { video: fileOf('The video; or `video[id]`, a completed one.') };
export const EditVideoForm = EditVideoRequest.extend(sourceFile).meta({
  id: 'OpenAiVideoEditForm',
});
export const ExtendVideoForm = ExtendVideoRequest.extend(sourceFile).meta({
  id: 'OpenAiVideoExtensionForm',
});

const unixSeconds = (description: string) => z.int().min(0).describe(description);

export const videoStatuses = ['queued', 'in_progress', 'completed', 'failed'] as const;

export const Video = z
  .strictObject({
    id: z.string(),
    object: z.literal('video'),
    model: z.string().describe('The model that renders it, also where an alias was sent.'),
    status: z.enum(videoStatuses),
    progress: z.int().min(0).max(100),
    created_at: unixSeconds('Unix time in whole seconds.'),
    completed_at: unixSeconds('Null unless it completed.').nullable(),
    expires_at: unixSeconds('When its files are deleted; null unless it completed.').nullable(),
    seconds: z.string().describe('Seconds of output; of an edit, those that were paid for.'),
    size: z
      .string()
      .describe('Width and height; of 16:9 where the aspect ratio follows the material.'),
    prompt: z.string(),
    error: z
      .strictObject({
        code: z.string().describe('The `failed_reason` of the task.'),
        message: z.string(),
      })
      .nullable()
      .describe('Set if it failed.'),
    remixed_from_video_id: z.null(),
    metadata: Metadata.optional().describe('Extension. What the create sent.'),
  })
  .meta({ id: 'OpenAiVideo' });
export type Video = z.infer<typeof Video>;

export const ListVideosQuery = z.object({
  after: z.string().max(512).optional().describe('The ID of the last video of the page before.'),
  limit: integerParam({ min: 1, max: 100 })
    .default(20)
    .describe('Videos per page, 1 to 100. Default 20.'),
  order: z.enum(['asc', 'desc']).default('desc').describe('By creation. Default `desc`.'),
});

export const VideoList = z
  .strictObject({
    object: z.literal('list'),
    data: z.array(Video),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'OpenAiVideoList' });
export type VideoList = z.infer<typeof VideoList>;

export const VideoDeleted = z
  .strictObject({
    id: z.string(),
    object: z.literal('video.deleted'),
    deleted: z.literal(true),
  })
  .meta({ id: 'OpenAiVideoDeleted' });
export type VideoDeleted = z.infer<typeof VideoDeleted>;

export const VideoContentQuery = z.object({
  variant: z
    .enum(['video', 'thumbnail', 'spritesheet'])
    .default('video')
    .describe('`thumbnail` is the last frame where the provider returned one.'),
});

/** The shape of errors; the code is ours. */
export const OpenAiErrorResponse = z
  .strictObject({
    error: z.strictObject({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable().describe('The first field that is wrong.'),
      code: z.string().describe('An error code of this API.'),
      request_id: NamedRequest,
    }),
  })
  .meta({ id: 'OpenAiError' });
export type OpenAiErrorResponse = z.infer<typeof OpenAiErrorResponse>;
