/** Creates a task from a request in OpenRouter's format. */
import { CreateVideoJobRequest, VideoJob } from '@vidgen/contract/openrouter-videos.ts';
import { endpoint } from '../../http/endpoint.ts';
import { parseBody } from '../../http/parse-request.ts';
import { createTranslated } from '../translated-create.ts';
import { openRouterDefinition } from './definition.ts';
import { pollingUrlOf } from './job-view.ts';
import { pendingJob } from './samples.ts';
import { translateJob } from './translate.ts';

export const createVideoJob = endpoint({
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
  clientsStartAgain: true,
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
    202: {
      description: 'The task is accepted and its credits are reserved.',
      schema: VideoJob,
      examples: { accepted: ['Accepted', pendingJob] },
    },
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
