/** Endpoints of OpenAI that are not offered: clients get a 404 that says what to use instead. */
import type { Readable } from 'node:stream';
import { VideoParams } from '@vidgen/contract/openai-videos.ts';
import { ApiError } from '../../../api-error.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { Endpoint, EndpointDefinition } from '../../http/endpoint-definition.ts';
import { openAiDefinition } from './definition.ts';

const noCharacters = 'Characters are not offered; send an image as input_reference.';

export const createCharacter = notOffered({
  operationId: 'createCharacter',
  method: 'POST',
  path: '/v1/videos/characters',
  summary: 'Create a character',
  message: noCharacters,
});

export const getCharacter = notOffered({
  operationId: 'getCharacter',
  method: 'GET',
  path: '/v1/videos/characters/:id',
  summary: 'Get a character',
  params: VideoParams,
  message: noCharacters,
});

export const remixVideo = notOffered({
  operationId: 'remixVideo',
  method: 'POST',
  path: '/v1/videos/:id/remix',
  summary: 'Remix a video',
  message: 'Remixes are not offered; use POST /v1/videos/edits.',
});

/** Drops the body of a POST: a client that is still sending would not read the error. */
function notOffered({
  message,
  ...definition
}: Pick<EndpointDefinition, 'operationId' | 'method' | 'path' | 'summary' | 'params'> & {
  readonly message: string;
}): Endpoint {
  const anyBody = { rawBody: true, streamBody: true, bodyType: 'multipart/form-data' } as const;
  const isRead = definition.method === 'GET';
  return endpoint({
    ...openAiDefinition,
    ...definition,
    description: 'Not supported: returns an error that says what to use instead.',
    permission: isRead ? 'tasks:read' : 'videos:create',
    ...(isRead ? {} : anyBody),
    responses: {},
    errors: { not_found: message },
    async handler(_services, { body }) {
      (body as Readable | undefined)?.resume();
      throw new ApiError('not_found', message);
    },
  });
}
