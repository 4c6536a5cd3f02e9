/** Creates, edits and extends videos in OpenAI's format. */

import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { editingDuration } from '@vidgen/contract/create-generation.ts';
import {
  CreateVideoForm,
  CreateVideoRequest,
  EditVideoForm,
  EditVideoRequest,
  ExtendVideoForm,
  ExtendVideoRequest,
  Video,
} from '@vidgen/contract/openai-videos.ts';
import type { z } from 'zod';
import type { KeyIdentity } from '../../../accounts/keys/api-key.ts';
import { withPrices } from '../../../catalog/customer-prices.ts';
import { createdAtOf } from '../../../tasks/task-id.ts';
import { isForm } from '../../files/form-body.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { EndpointDefinition } from '../../http/endpoint-definition.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../../http/handler.ts';
import { parseBody } from '../../http/parse-request.ts';
import { taskId } from '../../http/samples.ts';
import { unixSeconds } from '../../http/timestamps.ts';
import { findOwnTask } from '../../v1/tasks.ts';
import { createTranslated, type FieldNames } from '../translated-create.ts';
import { sizeOf } from '../video-size.ts';
import { openAiDefinition, pollHeaders, queuedVideo } from './definition.ts';
import { fieldsOfForm } from './form-fields.ts';
import { withFileUrls } from './materials.ts';
import {
  editFieldNames,
  type TranslatedRequest,
  translateCreate,
  translateEdit,
  type VideoSource,
} from './translate.ts';

/**
 * The answer to a create, an edit or an extension. It is made of the request and the task's ID, so
 * that nothing can fail after the task was accepted.
 */
async function createVideoTask(
  services: ApiServices,
  request: ApiRequest,
  { body, fieldNames }: { readonly body: TranslatedRequest; readonly fieldNames: FieldNames },
): Promise<ApiResponse> {
  const { created, headers } = await createTranslated(services, request, { body, fieldNames });
  const { model, input, metadata } = body;
  const { resolution, aspect_ratio: aspectRatio } = input;
  const video: Video = {
    id: created.taskId,
    object: 'video',
    model,
    status: 'queued',
    progress: 0,
    created_at: unixSeconds(createdAtOf(created.taskId)),
    completed_at: null,
    expires_at: null,
    seconds: String(
      outputSeconds(services, body, {
        credits: created.credits,
        prices: request.identity?.prices,
      }),
    ),
    size: sizeOf({ model, resolution, aspectRatio }),
    prompt: input.prompt.trim(),
    error: null,
    remixed_from_video_id: null,
    ...(metadata ? { metadata } : {}),
  };
  return { body: video, headers: { ...headers, ...pollHeaders({ status: 'queued' }) } };
}

/** The request of an edit does not say how long it is, but its price does. */
function outputSeconds(
  { lifecycle: { catalog } }: ApiServices,
  { model: name, input }: TranslatedRequest,
  { credits, prices }: { readonly credits: number; readonly prices: KeyIdentity['prices'] },
): number {
  if (input.duration !== editingDuration) return input.duration;
  const model = catalog.find(name);
  const rate = model && withPrices(model, prices).rates[input.resolution];
  if (!rate) return 1;
  const perSecond = rate.perSecondWithVideo + rate.perInputSecond;
  return Math.max(1, Math.round((credits - rate.perTask) / perSecond) || 1);
}

async function findSource(
  services: ApiServices,
  request: ApiRequest,
  { id, url }: { readonly id?: string | undefined; readonly url?: string | undefined },
): Promise<VideoSource> {
  if ((id === undefined) === (url === undefined)) {
    throw invalidRequest('video must have either id or url');
  }
  if (url !== undefined) return { url };
  const task = await findOwnTask(services, { ...request, params: { id: id! } });
  const { status, result, expired, model, generation } = task;
  if (!result || expired) {
    const state = expired ? 'has expired' : `is ${status}`;
    throw invalidRequest(`video must be a completed video; ${id} ${state}`);
  }
  const { resolution } = generation;
  return { url: services.lifecycle.resultUrl(task, result.video), model, resolution };
}

/** A file in a form stands for its URL. */
const editFields = { objects: { video: 'url' } };

const createFields = {
  objects: { input_reference: 'image_url', image: 'image_url', last_frame: 'image_url' },
  lists: ['reference_images', 'reference_videos'],
};

const createVideo = endpoint({
  parsesItself: true,
  ...openAiDefinition,
  operationId: 'createVideo',
  method: 'POST',
  path: '/v1/videos',
  summary: 'Create a video',
  description:
    'The same create as `POST /v1/videos/generations`, for clients of OpenAI. The model may be ' +
    'an alias of the operator, such as `sora-2`.',
  permission: 'videos:create',
  rateLimit: 'create',
  body: CreateVideoRequest,
  form: CreateVideoForm,
  materialBody: 'form',
  requestHeaders: ['Idempotency-Key'],
  requestExamples: {
    'text-to-video': [
      'Text to video',
      {
        model: 'vidgen-2-5',
        prompt: 'A paper boat drifts across a lake at dusk',
        seconds: '8',
        size: '1280x720',
      },
    ],
    'image-to-video': [
      'An image as the first frame',
      {
        model: 'sora-2',
        prompt: 'The boat unfolds into a swan',
        input_reference: { image_url: 'https://media.example.com/boat.png' },
      },
    ],
    'reference-to-video': [
      'References, and what other clients send',
      {
        model: 'vidgen-2-0',
        prompt: 'The boat of the image follows the camera of the video',
        duration: 8,
        resolution: '720p',
        aspect_ratio: '16:9',
        seed: 7,
        reference_images: [{ image_url: 'https://media.example.com/boat.png' }],
        reference_videos: [{ video_url: 'https://media.example.com/camera.mp4' }],
      },
    ],
  },
  responses: {
    200: {
      description: 'The task is accepted and its credits are reserved.',
      schema: Video,
      headers: ['openai-poll-after-ms'],
      examples: { accepted: ['Accepted', queuedVideo] },
    },
  },
  errors: {
    insufficient_credits: true,
    invalid_request: 'seconds must be 4 to 30 for vidgen-2-5 (got 45)',
  },
  async handler(services, request) {
    const sent = isForm(request.headers['content-type'])
      ? fieldsOfForm(request.body, createFields)
      : request.body;
    const parsed = parseBody(CreateVideoRequest, sent);
    const body = await withFileUrls(services, request, parsed);
    const translated = translateCreate(services.lifecycle.catalog, body);
    return await createVideoTask(services, request, translated);
  },
});

type EditOptions = {
  readonly body: z.ZodObject & z.ZodType<EditVideoRequest>;
  /** The request of the example, without its source. */
  readonly example: Readonly<Record<string, string>>;
  readonly exampleResponse: Video;
};

const editDefinition = ({ body: schema, example, exampleResponse }: EditOptions) =>
  ({
    parsesItself: true,
    ...openAiDefinition,
    method: 'POST',
    permission: 'videos:create',
    rateLimit: 'create',
    body: schema,
    materialBody: 'form',
    requestHeaders: ['Idempotency-Key'],
    requestExamples: {
      own: ['A video of the account', { ...example, video: { id: taskId } }],
    },
    responses: {
      200: {
        description: 'The task is accepted and its credits are reserved.',
        schema: Video,
        headers: ['openai-poll-after-ms'],
        examples: { accepted: ['Accepted', exampleResponse] },
      },
    },
    errors: {
      insufficient_credits: true,
      invalid_request: `video must be a completed video; ${taskId} is queued`,
      not_found: true,
    },
    async handler(services, request) {
      const body = parseBody(schema, fieldsOfForm(request.body, editFields));
      const source = await findSource(services, request, body.video);
      const translated = translateEdit(services.lifecycle.catalog, body, source);
      return await createVideoTask(services, request, {
        body: translated,
        fieldNames: editFieldNames,
      });
    },
  }) as const satisfies Partial<EndpointDefinition>;

const editVideo = endpoint({
  ...editDefinition({
    body: EditVideoRequest,
    example: { prompt: 'Make the street snowy' },
    exampleResponse: { ...queuedVideo, seconds: '8', size: '1280x720' },
  }),
  operationId: 'editVideo',
  path: '/v1/videos/edits',
  summary: 'Edit a video',
  description:
    'The output is as long as its source, which must be 4 to 30 seconds long. Without a `model`, ' +
    'the model of the source renders it if it edits videos, otherwise the first one that does.',
  form: EditVideoForm,
});

const extendVideo = endpoint({
  ...editDefinition({
    body: ExtendVideoRequest,
    example: { prompt: 'The boat reaches the harbor', seconds: '8' },
    exampleResponse: { ...queuedVideo, size: '1280x720' },
  }),
  operationId: 'extendVideo',
  path: '/v1/videos/extensions',
  summary: 'Extend a video',
  description:
    '`seconds` is the length of the output. Without a `model`, the model of the source renders ' +
    'it if it edits videos, otherwise the first one that does.',
  form: ExtendVideoForm,
});

export const createVideoEndpoints = [createVideo, editVideo, extendVideo];
