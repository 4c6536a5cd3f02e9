/** Extends a video by a prompt: a completed one of the account, a file or a URL. */
import { ExtendVideoForm, ExtendVideoRequest } from '@vidgen/contract/openai-videos.ts';
import { endpoint } from '../../http/endpoint.ts';
import { editDefinition } from './edit-definition.ts';
import { queuedVideo } from './samples.ts';

export const extendVideo = endpoint({
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
