/** Creates and reads videos in OpenRouter's format. */
import {
  CreateVideoJobRequest,
  OpenRouterErrorResponse,
  VideoJob,
} from '@vidgen/contract/openrouter-videos.ts';
import type { Task } from '../../../tasks/task.ts';
import { failureView } from '../../../tasks/view.ts';
import { endpoint, jsonResponse } from '../../http/endpoint.ts';
import { errorResponse } from '../../http/error-response.ts';
import type { ApiServices, FormatError } from '../../http/handler.ts';
import { parseBody } from '../../http/parse-request.ts';
import { completedTask, taskId } from '../../http/samples.ts';
import { fileDescriptions } from '../../http/send.ts';
import { findOwnTask, readKnownTask } from '../../v1/tasks.ts';
import { resultContent } from '../result-content.ts';
import { createTranslated } from '../translated-create.ts';
import { translateJob } from './translate.ts';

const openRouterError: FormatError = (error) => {
  const { status, headers } = errorResponse(error);
  const { code, message } = error;
  const body: OpenRouterErrorResponse = { error: { code: status, message, metadata: { code } } };
  return { status, headers, body };
};

export const openRouterDefinition = {
  auth: 'key',
  formatError: openRouterError,
  errorSchema: OpenRouterErrorResponse,
} as const;

const pendingJob = {
  id: taskId,
  polling_url: `https://videos.example.com/api/v1/videos/${taskId}`,
  status: 'pending',
};

const completedJob = {
  ...pendingJob,
  status: 'completed',
  unsigned_urls: completedTask.data.results,
  usage: { cost: 40 },
};

const failedJob = {
  ...pendingJob,
  status: 'failed',
  error:
    'The provider couldn’t generate this video. Your credits were refunded. Try again. If it ' +
    'keeps failing, try different settings or contact support with the task ID.',
};

const pollingUrlOf = ({ publicUrl }: ApiServices, id: string): string =>
  `${publicUrl().replace(/\/{1,9}$/, '')}/api/v1/videos/${id}`;

/** Clients read an `error` only as a string. */
function jobView(services: ApiServices, task: Task): VideoJob {
  const { id, result, expired, credits, billingStatus } = task;
  const failure = failureView(task);
  return {
    id,
    polling_url: pollingUrlOf(services, id),
    status: statusOf(task),
    ...(result && !expired
      ? { unsigned_urls: [services.lifecycle.resultUrl(task, result.video)] }
      : {}),
    ...(billingStatus === 'charged' ? { usage: { cost: credits } } : {}),
    ...(failure ? { error: failure.sentence } : {}),
  };
}

function statusOf({ status, failedReason, expired }: Task): VideoJob['status'] {
  switch (status) {
    case 'queued':
      return 'pending';
    case 'generating':
      return 'in_progress';
    case 'completed':
      return expired ? 'expired' : 'completed';
    case 'failed':
      return failedReason === 'cancelled' ? 'cancelled' : 'failed';
  }
}

const createVideoJob = endpoint({
  parsesItself: true,
  ...openRouterDefinition,
  operationId: 'createVideoJob',
  method: 'POST',
  path: '/api/v1/videos',
  summary: 'Create a video',
  description:
    'The same create as `POST /v1/videos/generations`, for clients of OpenRouter. The model may ' +
    'be an alias of the operator.',
  permission: 'videos:create',
  rateLimit: 'create',
  clientsRetryByCreating: true,
  body: CreateVideoJobRequest,
  materialBody: 'json',
  requestHeaders: ['Idempotency-Key'],
  requestExamples: {
    'text-to-video': [
      'Text to video',
      {
        model: 'vidgen-2-5',
        prompt: 'A paper boat drifts across a lake at dusk',
        duration: 5,
        resolution: '720p',
        aspect_ratio: '16:9',
      },
    ],
    'image-to-video': [
      'First and last frame',
      {
        model: 'vidgen-2-0',
        prompt: 'The boat unfolds into a swan',
        frame_images: [
          {
            type: 'image_url',
            image_url: { url: 'https://media.example.com/boat.png' },
            frame_type: 'first_frame',
          },
          {
            type: 'image_url',
            image_url: { url: 'https://media.example.com/swan.png' },
            frame_type: 'last_frame',
          },
        ],
      },
    ],
  },
  responses: {
    202: jsonResponse('The task is accepted and its credits are reserved.', VideoJob, {
      accepted: ['Accepted', pendingJob],
    }),
  },
  errors: {
    insufficient_credits: true,
    invalid_request: 'duration must be 4 to 30 for vidgen-2-5 (got 45)',
  },
  async handler(services, request) {
    const body = parseBody(CreateVideoJobRequest, request.body);
    const translated = translateJob(services.lifecycle.catalog, body);
    const { created, headers } = await createTranslated(services, request, translated);
    const { taskId: id } = created;
    const job: VideoJob = { id, polling_url: pollingUrlOf(services, id), status: 'pending' };
    return { status: 202, body: job, headers: { ...headers } };
  },
});

const getVideoJob = endpoint({
  ...openRouterDefinition,
  operationId: 'getVideoJob',
  method: 'GET',
  path: '/api/v1/videos/:id',
  summary: 'Get a video',
  description: 'Any task of the account, however it was created.',
  permission: 'tasks:read',
  clientsRetryByCreating: true,
  responses: {
    200: jsonResponse('The video. `error` is there only when it failed.', VideoJob, {
      pending: ['Waiting', pendingJob],
      completed: ['Completed', completedJob],
      failed: ['Failed, and refunded', failedJob],
    }),
  },
  async handler(services, request) {
    return { body: jobView(services, await readKnownTask(services, request)) };
  },
});

const getVideoJobContent = endpoint({
  ...openRouterDefinition,
  operationId: 'getVideoJobContent',
  method: 'GET',
  path: '/api/v1/videos/:id/content',
  summary: 'Download a video',
  description: 'The MP4. A task has one video; `index` is ignored.',
  permission: 'tasks:read',
  responses: fileDescriptions('video/mp4'),
  errors: { not_found: 'The video is queued; only a completed one has content.' },
  async handler(services, request) {
    const task = await findOwnTask(services, request);
    return await resultContent(services, request, { task, variant: 'video' });
  },
});

export const openRouterVideoEndpoints = [createVideoJob, getVideoJob, getVideoJobContent];
