/** Returns a task as a video of OpenAI's format. */
import { Video } from '@vidgen/contract/openai-videos.ts';
import { endpoint } from '../../http/endpoint.ts';
import { findOwnTask } from '../../v1/get-task.ts';
import { openAiDefinition } from './definition.ts';
import { completedVideo, failedVideo, queuedVideo } from './samples.ts';
import { pollHeaders, videoView } from './video-view.ts';

export const getVideo = endpoint({
  ...openAiDefinition,
  operationId: 'getVideo',
  method: 'GET',
  path: '/v1/videos/:id',
  summary: 'Get a video',
  description: 'Any task of the account, however it was created. A failed one has an `error`.',
  permission: 'tasks:read',
  responses: {
    200: {
      description: 'The video.',
      schema: Video,
      headers: ['openai-poll-after-ms'],
      examples: {
        queued: ['In progress', queuedVideo],
        completed: ['Completed', completedVideo],
        failed: ['Failed, and refunded', failedVideo],
      },
    },
  },
  async handler(services, request) {
    const task = await findOwnTask(services, request);
    return { body: videoView(task), headers: pollHeaders(task) };
  },
});
