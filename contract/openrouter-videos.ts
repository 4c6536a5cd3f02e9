/**
 * Extension: OpenRouter's video format, as its clients send and read it (`@openrouter/sdk` 1.3,
 * `@openrouter/ai-sdk-provider` 3.1). Values are checked like those of our own create.
 */
import { z } from 'zod';
import { NamedRequest } from './error-response.ts';
import { isSize } from './openai-videos.ts';

const Url = z.strictObject({ url: z.string() });

const FrameImage = z.strictObject({
  type: z.literal('image_url'),
  image_url: Url,
  frame_type: z.enum(['first_frame', 'last_frame']),
});

const InputReference = z.strictObject({
  type: z.enum(['image_url', 'video_url', 'audio_url']),
  image_url: Url.optional(),
  video_url: Url.optional(),
  audio_url: Url.optional(),
});

const ignored = (field: z.ZodType) => field.optional().describe('Ignored.');

export const CreateVideoJobRequest = z
  .strictObject({
    model: z.string().describe('A model of `GET /api/v1/videos/models`, or an alias.'),
    prompt: z.string().describe('What to show. 1 to 10,000 characters.'),
    duration: z.int().optional().describe('Seconds of output. Default: that of the model.'),
    size: z
      .string()
      .refine(isSize, 'must be WIDTHxHEIGHT, such as 1280x720')
      .optional()
      .describe('The nearest resolution and aspect ratio of ours, instead of the two fields.'),
    resolution: z
      .string()
      .optional()
      .describe('`720p`, or another height: the nearest resolution of ours. Or `4K`.'),
    aspect_ratio: z.string().optional().describe('Such as `16:9`.'),
    seed: z.int().optional(),
    generate_audio: z.boolean().optional(),
    frame_images: z.array(FrameImage).optional().describe('The first frame, and the last one.'),
    input_references: z.array(InputReference).optional().describe('Images, videos and audio.'),
    callback_url: z
      .string()
      .optional()
      .describe('Receives a signed webhook when the video has completed or failed.'),
    provider: ignored(z.record(z.string(), z.unknown())),
    trace: ignored(z.record(z.string(), z.unknown())),
    session_id: ignored(z.string()),
    user: ignored(z.string()),
  })
  .meta({ id: 'OpenRouterVideoRequest' });
export type CreateVideoJobRequest = z.infer<typeof CreateVideoJobRequest>;

const videoJobStatuses = [
  'pending',
  'in_progress',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const;

export const VideoJob = z
  .strictObject({
    id: z.string(),
    polling_url: z.string(),
    status: z
      .enum(videoJobStatuses)
      .describe('`expired`: it completed, and its files are deleted by now.'),
    unsigned_urls: z
      .array(z.string())
      .optional()
      .describe('Of a completed video: URLs that need no key, and expire with the result.'),
    usage: z
      .strictObject({ cost: z.number().describe('Credits, once they are charged.') })
      .optional(),
    error: z.string().optional().describe('Why it failed; absent otherwise.'),
  })
  .meta({ id: 'OpenRouterVideo' });
export type VideoJob = z.infer<typeof VideoJob>;

const VideoJobModel = z
  .strictObject({
    id: z.string(),
    canonical_slug: z.string(),
    name: z.string(),
    created: z.int(),
    supported_durations: z.array(z.int()),
    supported_resolutions: z.array(z.string()),
    supported_aspect_ratios: z.array(z.string()),
    supported_sizes: z.null(),
    supported_frame_images: z.array(z.string()),
    generate_audio: z.boolean(),
    seed: z.boolean(),
    creativity: z.null(),
    upscale_factor: z.null(),
    allowed_passthrough_parameters: z.array(z.string()),
  })
  .meta({ id: 'OpenRouterModel' });

export const VideoJobModels = z
  .strictObject({ data: z.array(VideoJobModel) })
  .meta({ id: 'OpenRouterModelList' });
export type VideoJobModels = z.infer<typeof VideoJobModels>;

const OpenRouterModel = z
  .strictObject({
    id: z.string(),
    canonical_slug: z.string(),
    name: z.string(),
    created: z.int(),
    context_length: z.null(),
    architecture: z.strictObject({
      input_modalities: z.array(z.string()),
      output_modalities: z.array(z.string()),
      modality: z.string(),
    }),
    pricing: z
      .strictObject({ prompt: z.string(), completion: z.string() })
      .describe('Per token: always 0. Prices per second are in `GET /v1/models`.'),
    top_provider: z.strictObject({
      context_length: z.null(),
      max_completion_tokens: z.null(),
      is_moderated: z.boolean(),
    }),
    per_request_limits: z.null(),
    supported_parameters: z.array(z.string()),
    supported_voices: z.null(),
    default_parameters: z.null(),
    links: z.strictObject({ details: z.string() }),
  })
  .meta({ id: 'OpenRouterListedModel' });

export const OpenRouterModels = z
  .strictObject({
    data: z.array(OpenRouterModel),
    links: z.strictObject({ next: z.null() }),
    total_count: z.int(),
  })
  .meta({ id: 'OpenRouterModels' });
export type OpenRouterModels = z.infer<typeof OpenRouterModels>;

export const OpenRouterCredits = z
  .strictObject({
    data: z.strictObject({
      total_credits: z.int().describe('Credits that were granted.'),
      total_usage: z.int().describe('Of these, charged or reserved.'),
    }),
  })
  .meta({ id: 'OpenRouterCredits' });

export const OpenRouterErrorResponse = z
  .strictObject({
    error: z.strictObject({
      code: z.int().describe('The HTTP status.'),
      message: z.string(),
      metadata: z.strictObject({ code: z.string().describe('An error code of this API.') }),
      request_id: NamedRequest,
    }),
  })
  .meta({ id: 'OpenRouterError' });
export type OpenRouterErrorResponse = z.infer<typeof OpenRouterErrorResponse>;
