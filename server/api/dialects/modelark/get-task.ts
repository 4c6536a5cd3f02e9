/**
 * Returns a task as ModelArk does. Clients of that API start again, and pay again, when a read
 * fails with a status that can be retried, so a read waits for the database and the rate limit
 * instead.
 */
import { ModelArkErrorResponse, ModelArkParams, ModelArkTask } from '@vidgen/contract/modelark.ts';
import { endpoint } from '../../http/endpoint.ts';
import { readKnownTask } from '../../v1/get-task.ts';
import { formatModelArkError } from './errors.ts';
import { queuedModelArkTask, succeededModelArkTask } from './samples.ts';
import { modelArkView } from './task-view.ts';

export const getModelArkTask = endpoint({
  operationId: 'getModelArkTask',
  method: 'GET',
  path: '/api/v3/contents/generations/tasks/:id',
  summary: 'Get a task',
  auth: 'key',
  permission: 'tasks:read',
  clientsStartAgain: true,
  params: ModelArkParams,
  responses: {
    200: {
      description: 'The task.',
      schema: ModelArkTask,
      examples: {
        queued: ['In progress', queuedModelArkTask],
        succeeded: ['Succeeded', succeededModelArkTask],
      },
    },
  },
  formatError: formatModelArkError,
  errorSchema: ModelArkErrorResponse,
  async handler(services, request) {
    const task = await readKnownTask(services, request);
    return { body: modelArkView(task, services.lifecycle.resultUrl) };
  },
});
