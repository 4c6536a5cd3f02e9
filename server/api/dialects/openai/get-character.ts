/** Answers that there are no characters. */
import { VideoParams } from '@vidgen/contract/openai-videos.ts';
import { endpoint } from '../../http/endpoint.ts';
import { openAiDefinition } from './definition.ts';
import { notOffered } from './not-offered.ts';

const message = 'Characters are not offered; send an image as input_reference.';

export const getCharacter = endpoint({
  ...openAiDefinition,
  operationId: 'getCharacter',
  method: 'GET',
  path: '/v1/videos/characters/:id',
  summary: 'Get a character, in OpenAI’s format',
  description: 'Not offered.',
  permission: 'tasks:read',
  params: VideoParams,
  responses: {},
  errors: { not_found: message },
  handler: notOffered(message),
});
