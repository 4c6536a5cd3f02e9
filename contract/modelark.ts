/**
 * Requests and responses of ModelArk's video API, as far as this service speaks it, so that clients
 * of that API work with another base URL and key.
 */
import { z } from 'zod';
import { outputSecondsMax } from './create-generation.ts';
import { NamedRequest } from './error-response.ts';
import { idParams, integerParam } from './list.ts';
import { ResolutionName } from './model-name.ts';
import { aspectRatios } from './models.ts';

const materialUrl = z.strictObject({
  url: z.string().describe('A public `http` or `https` URL, or a `data:` URI.'),
});

const ModelArkContent = z.strictObject({
  type: z.enum(['text', 'image_url', 'video_url', 'audio_url']),
  text: z.string().optional(),
  image_url: materialUrl.optional(),
  video_url: materialUrl.optional(),
  audio_url: materialUrl.optional(),
  role: z
    .enum(['first_frame', 'last_frame', 'reference_image', 'reference_video', 'reference_audio'])
    .optional()
    .describe('What a file is for. A single image without it is the first frame.'),
});
export type ModelArkContent = z.infer<typeof ModelArkContent>;

const modelArkTaskTypes = ['auto', 'reference', 'edit', 'extend'] as const;
export type ModelArkTaskType = (typeof modelArkTaskTypes)[number];

export const ModelArkCreateRequest = z
  .strictObject({
    model: z.string().describe('A model of this service, or an alias that its operator defined.'),
    content: z
      .array(ModelArkContent)
      .min(1)
      .max(64)
      .describe('One text, the prompt, and the files. Frames and references exclude each other.'),
    resolution: z
      .union(
        [ResolutionName, z.enum(['2K', '4K', '8K'])],
        'must be a resolution such as 720p or 4k',
      )
      .optional()
      .describe('That of the model by default; mostly `720p`.'),
    ratio: z
      .enum(aspectRatios)
      .optional()
      .describe('`adaptive` by default, where the model has it.'),
    duration: z
      .int()
      .min(-1)
      .max(outputSecondsMax)
      .optional()
      .describe('Seconds; mostly 5 by default. -1 edits the reference video and is as long as it.'),
    seed: z.int().min(-1).max(4_294_967_295).optional(),
    generate_audio: z.boolean().optional(),
    watermark: z.boolean().optional(),
    return_last_frame: z.boolean().optional(),
    tools: z
      .array(z.strictObject({ type: z.literal('web_search') }))
      .max(1)
      .optional(),
    omni_reference_task_type: z
      .enum(modelArkTaskTypes)
      .optional()
      .describe(
        'Only models that edit videos. `edit` needs a video, and a duration of -1 or none.',
      ),
    callback_url: z
      .string()
      .optional()
      .describe('Called on every change of the status, with the body of a read.'),
    execution_expires_after: z
      .int()
      .min(3600)
      .max(259_200)
      .optional()
      .describe('Shown by reads. The task’s deadline is that of this service.'),
    priority: z.int().min(0).max(9).optional().describe('Shown by reads, without effect.'),
    safety_identifier: z.string().max(64).optional().describe('Shown by reads.'),
    service_tier: z.literal('default').optional(),
    output_format: z.literal('mp4').optional(),
    camera_fixed: z.literal(false).optional(),
    draft: z.literal(false).optional(),
  })
  .meta({ id: 'ModelArkCreateRequest' });
export type ModelArkCreateRequest = z.infer<typeof ModelArkCreateRequest>;

export const ModelArkCreateResponse = z
  .strictObject({ id: z.string() })
  .meta({ id: 'ModelArkCreateResponse' });

const pageNumber = integerParam({ min: 1, max: 500 }).optional();

export const ModelArkParams = idParams('The `id` of the create response.');

/** A filter that is repeated selects any of its values. */
export const ModelArkListQuery = z.object({
  page_num: pageNumber.describe('1 to 500; 1 by default.'),
  page_size: pageNumber.describe('1 to 500; 20 by default.'),
  'filter.status': z.array(z.string()).optional().describe('Repeat it for several.'),
  'filter.task_ids': z.array(z.string()).optional().describe('Repeat it for several.'),
  'filter.model': z.array(z.string()).optional().describe('Names of models, or aliases.'),
  'filter.service_tier': z.string().optional().describe('Ignored: there is one.'),
});

export const ModelArkTask = z
  .object({
    id: z.string(),
    model: z.string().describe('As the create named it.'),
    status: z.enum(['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled']),
    error: z.object({ code: z.string(), message: z.string() }).nullable().optional(),
    content: z
      .object({ video_url: z.string().optional(), last_frame_url: z.string().optional() })
      .optional()
      .describe('Only on a succeeded task; empty when the result has expired.'),
    usage: z
      .object({ completion_tokens: z.int(), total_tokens: z.int() })
      .optional()
      .describe('Credits: this service charges no tokens.'),
    created_at: z.int().describe('Unix time in seconds.'),
    updated_at: z.int(),
  })
  .loose()
  .meta({ id: 'ModelArkTask' });

export const ModelArkListResponse = z
  .object({ total: z.int(), items: z.array(ModelArkTask) })
  .meta({ id: 'ModelArkTaskList' });

export const ModelArkErrorResponse = z
  .strictObject({
    error: z.strictObject({
      code: z.string().describe('A code of ModelArk.'),
      message: z.string(),
      type: z.string(),
      param: z.string().describe('The field at fault, if there is one.'),
      request_id: NamedRequest,
    }),
  })
  .meta({ id: 'ModelArkError' });
