/** Creates a task from a request in OpenAI's format. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { CreateVideoForm, CreateVideoRequest, Video } from '@vidgen/contract/openai-videos.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { ApiRequest, ApiServices } from '../../http/handler.ts';
import { parseBody } from '../../http/parse-request.ts';
import { createVideoTask } from './created-video.ts';
import { openAiDefinition } from './definition.ts';
import { withObjectFields } from './form-fields.ts';
import { queuedVideo } from './samples.ts';
import { translateCreate } from './translate.ts';

const imageField = { name: 'input_reference', fileField: 'image_url' };

/** Replaces the ID of a file of the account by its URL. */
async function withFileUrl(
  { uploads }: ApiServices,
  { identity }: ApiRequest,
  body: CreateVideoRequest,
): Promise<CreateVideoRequest> {
  const { file_id: id, image_url: other } = body.input_reference ?? {};
  if (id === undefined) return body;
  const rule = 'input_reference must have either image_url or file_id';
  if (other !== undefined) throw new ApiError('invalid_request', rule);
  const url = await uploads.urlOfFile(identity!.accountId, id);
  if (url !== null) return { ...body, input_reference: { image_url: url } };
  throw new ApiError(
    'invalid_request',
    'input_reference.file_id must be a file of this account that has not expired; ' +
      'send it to POST /v1/files again',
  );
}

export const createVideo = endpoint({
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
    const parsed = parseBody(CreateVideoRequest, withObjectFields(request.body, imageField));
    const body = await withFileUrl(services, request, parsed);
    const translated = translateCreate(services.lifecycle.catalog, body);
    return await createVideoTask(services, request, translated);
  },
});
