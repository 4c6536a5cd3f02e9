/** Answers that there are no remixes. */
import { endpoint } from '../../http/endpoint.ts';
import { openAiDefinition } from './definition.ts';
import { notOffered } from './not-offered.ts';

const message = 'Remixes are not offered; use POST /v1/videos/edits.';

export const remixVideo = endpoint({
  ...openAiDefinition,
  operationId: 'remixVideo',
  method: 'POST',
  path: '/v1/videos/:id/remix',
  summary: 'Remix a video, in OpenAI’s format',
  description: 'Not offered.',
  permission: 'videos:create',
  rawBody: true,
  streamBody: true,
  bodyType: 'multipart/form-data',
  responses: {},
  errors: { not_found: message },
  handler: notOffered(message),
});
