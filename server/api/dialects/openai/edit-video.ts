/** Edits a video by a prompt: a completed one of the account, a file or a URL. */
import { EditVideoForm, EditVideoRequest, Video } from '@vidgen/contract/openai-videos.ts';
import { endpoint } from '../../http/endpoint.ts';
import { parseBody } from '../../http/parse-request.ts';
import { taskId } from '../../http/samples.ts';
import { createVideoTask } from './created-video.ts';
import { openAiDefinition } from './definition.ts';
import { withObjectFields } from './form-fields.ts';
import { queuedVideo } from './samples.ts';
import { translateEdit } from './translate.ts';
import { findSource, sourceField } from './video-source.ts';

export const editVideo = endpoint({
  ...openAiDefinition,
  operationId: 'editVideo',
  method: 'POST',
  path: '/v1/videos/edits',
  summary: 'Edit a video, in OpenAI’s format',
  description:
    'The output is as long as its source, which must be 4 to 30 seconds long. Without a `model`, ' +
    'the model of the source renders it if it edits videos, otherwise the first one that does.',
  permission: 'videos:create',
  rateLimit: 'create',
  body: EditVideoRequest,
  form: EditVideoForm,
  materialBody: 'form',
  requestHeaders: ['Idempotency-Key'],
  requestExamples: {
    own: ['A video of the account', { prompt: 'Make the street snowy', video: { id: taskId } }],
  },
  responses: {
    200: {
      description: 'The task is accepted and its credits are reserved.',
      schema: Video,
      headers: ['openai-poll-after-ms'],
      examples: { accepted: ['Accepted', { ...queuedVideo, seconds: '-1', size: '720p' }] },
    },
  },
  errors: {
    insufficient_credits: true,
    invalid_request: `video must be a completed video; ${taskId} is queued`,
    not_found: true,
  },
  async handler(services, request) {
    const body = parseBody(EditVideoRequest, withObjectFields(request.body, sourceField));
    const source = await findSource(services, request, body.video);
    const translated = translateEdit(services.lifecycle.catalog, body, source);
    return await createVideoTask(services, request, translated);
  },
});
