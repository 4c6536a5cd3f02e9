/** Returns a task as a video job of OpenRouter's format. */
import { VideoJob } from '@vidgen/contract/openrouter-videos.ts';
import { endpoint } from '../../http/endpoint.ts';
import { readKnownTask } from '../../v1/get-task.ts';
import { openRouterDefinition } from './definition.ts';
import { jobView } from './job-view.ts';
import { completedJob, failedJob, pendingJob } from './samples.ts';

export const getVideoJob = endpoint({
  ...openRouterDefinition,
  operationId: 'getVideoJob',
  method: 'GET',
  path: '/api/v1/videos/:id',
  summary: 'Get a video',
  description: 'Any task of the account, however it was created.',
  permission: 'tasks:read',
  clientsStartAgain: true,
  responses: {
    200: {
      description: 'The video. `error` is there only when it failed.',
      schema: VideoJob,
      examples: {
        pending: ['Waiting', pendingJob],
        completed: ['Completed', completedJob],
        failed: ['Failed, and refunded', failedJob],
      },
    },
  },
  async handler(services, request) {
    return { body: jobView(services, await readKnownTask(services, request)) };
  },
});
