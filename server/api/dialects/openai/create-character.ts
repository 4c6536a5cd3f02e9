/** Answers that there are no characters. */
import { endpoint } from '../../http/endpoint.ts';
import { openAiDefinition } from './definition.ts';
import { notOffered } from './not-offered.ts';

const message = 'Characters are not offered; send an image as input_reference.';

export const createCharacter = endpoint({
  ...openAiDefinition,
  operationId: 'createCharacter',
  method: 'POST',
  path: '/v1/videos/characters',
  summary: 'Create a character, in OpenAI’s format',
  description: 'Not offered.',
  permission: 'videos:create',
  rawBody: true,
  streamBody: true,
  bodyType: 'multipart/form-data',
  responses: {},
  errors: { not_found: message },
  handler: notOffered(message),
});
