/**
 * Extension: Replicate's predictions, as its clients send and read them (`replicate` 1.4,
 * `@ai-sdk/replicate` 3.0). Values are checked like those of our own create.
 */
import { z } from 'zod';
import { NamedRequest } from './error-response.ts';
import { idParams } from './list.ts';
import { isSize } from './openai-videos.ts';

const url = z.string().optional().describe('A URL or a `data:` URI.');
const urls = z.array(z.string()).optional().describe('Without frames.');

const PredictionInput = z
  .object({
    prompt: z.string().describe('What to show. 1 to 10,000 characters.'),
    duration: z.int().min(0).optional().describe('Seconds of output.'),
    resolution: z.string().optional().describe('Such as `720p`.'),
    aspect_ratio: z.string().optional().describe('Such as `16:9`.'),
    size: z
      .string()
      .refine(isSize, 'must be WIDTHxHEIGHT, such as 1280x720')
      .optional()
      .describe('The nearest resolution and aspect ratio of ours, instead of the two fields.'),
    seed: z.int().optional(),
    generate_audio: z.boolean().optional(),
    watermark: z.boolean().optional(),
    image: url,
    start_image: url,
    first_frame_image: url,
    last_frame_image: url,
    last_frame: url,
    end_image: url,
    reference_images: urls,
    reference_videos: urls,
    reference_audios: urls,
  })
  .catchall(z.union([z.string(), z.number(), z.boolean()], 'must be text, a number, true or false'))
  .describe('Fields of Replicate’s video models, and options of the model (`GET /v1/models`).');
export type PredictionInput = z.infer<typeof PredictionInput>;

export const CreatePredictionRequest = z
  .strictObject({
    input: PredictionInput,
    webhook: z.string().optional().describe('Receives the prediction, signed, when it has ended.'),
    webhook_events_filter: z
      .array(z.enum(['start', 'output', 'logs', 'completed']))
      .refine((events) => events.includes('completed'), 'must contain completed, which is sent')
      .optional()
      .describe('`completed` is the only event.'),
    stream: z.boolean().optional().describe('Ignored: a video has no stream.'),
  })
  .meta({ id: 'ReplicatePredictionRequest' });
export type CreatePredictionRequest = z.infer<typeof CreatePredictionRequest>;

export const PredictionModelParams = z.object({
  owner: z.string().describe('The name of the model up to its `/`, or `vidgen` if it has none.'),
  name: z.string().describe('The rest of its name.'),
});
export const PredictionParams = idParams('The `id` of the prediction: the ID of its task.');

export const Prediction = z
  .strictObject({
    id: z.string(),
    model: z.string().describe('As `{owner}/{name}`.'),
    version: z.literal('hidden'),
    input: z.record(z.string(), z.unknown()).describe('Without files, once it has started.'),
    output: z.string().nullable().describe('The URL of the video. It needs no key, and expires.'),
    error: z.string().nullable().describe('Why it failed.'),
    logs: z.literal(''),
    status: z.enum(['starting', 'processing', 'succeeded', 'failed', 'canceled']),
    source: z.literal('api'),
    data_removed: z.boolean().describe('Whether the video has expired.'),
    metrics: z.strictObject({ predict_time: z.number().optional().describe('Seconds.') }),
    created_at: z.string(),
    started_at: z.string().nullable(),
    completed_at: z.string().nullable(),
    urls: z.strictObject({ get: z.string(), cancel: z.string() }),
  })
  .meta({ id: 'ReplicatePrediction' });
export type Prediction = z.infer<typeof Prediction>;

export const ReplicateErrorResponse = z
  .strictObject({
    title: z.string().describe('An error code of this API.'),
    detail: z.string().describe('What is wrong, and what to do.'),
    status: z.int().describe('The HTTP status.'),
    request_id: NamedRequest,
  })
  .meta({ id: 'ReplicateError' });
export type ReplicateErrorResponse = z.infer<typeof ReplicateErrorResponse>;
