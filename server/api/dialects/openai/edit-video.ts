/** Edits a video by a prompt: a completed one of the account, a file or a URL. */
import { EditVideoForm, EditVideoRequest } from '@vidgen/contract/openai-videos.ts';
import { endpoint } from '../../http/endpoint.ts';
import { editDefinition } from './edit-definition.ts';
import { queuedVideo } from './samples.ts';

export const editVideo = endpoint({
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
