/** The status endpoint (Spec 4.2) and the extensions beside it: list and cancel. */
import {
  GetTaskQuery,
  ListTasksQuery,
  ListTasksResponse,
  TaskParams,
} from '@vidgen/contract/list-tasks.ts';
import { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import type { RouteDescription } from '../http/endpoint.ts';
import { apiKeyErrors, errorExample, errorResponses } from './errors.ts';
import { cancelledTask, completedTask, failedTask, queuedTask } from './samples.ts';

export const getTask: RouteDescription = {
  operationId: 'getTask',
  method: 'GET',
  path: '/v1/tasks/:id',
  summary: 'Get task status',
  description:
    'Poll no more than once every 10 seconds; a task in progress answers with `Retry-After: 10`. ' +
    'After `video_expires_at` the results are an empty list.',
  tag: 'Tasks',
  auth: 'key',
  permission: 'tasks:read',
  params: TaskParams,
  query: GetTaskQuery,
  responses: {
    200: {
      description: 'The task. `data` is there only when it has completed.',
      schema: TaskStatusResponse,
      headers: ['Retry-After'],
      examples: {
        queued: { summary: 'In progress', value: queuedTask },
        completed: { summary: 'Completed', value: completedTask },
        failed: { summary: 'Failed, and refunded', value: failedTask },
      },
    },
    ...errorResponses(['invalid_request', 'not_found', ...apiKeyErrors], {
      invalid_request: errorExample('invalid_request', 'wait must be at most 60 (got "300")'),
    }),
  },
};

export const listTasks: RouteDescription = {
  operationId: 'listTasks',
  method: 'GET',
  path: '/v1/tasks',
  summary: 'List tasks',
  description: 'Newest first: the tasks of the account in the mode of the key.',
  tag: 'Tasks',
  auth: 'key',
  permission: 'tasks:read',
  extension: true,
  query: ListTasksQuery,
  responses: {
    200: {
      description: 'A page of tasks.',
      schema: ListTasksResponse,
      examples: {
        page: {
          summary: 'The last page',
          value: { items: [queuedTask, completedTask], next_cursor: null },
        },
      },
    },
    ...errorResponses(['invalid_request', ...apiKeyErrors], {
      invalid_request: errorExample(
        'invalid_request',
        'status must be one of queued, generating, completed, failed (got "done")',
      ),
    }),
  },
};

export const cancelTask: RouteDescription = {
  operationId: 'cancelTask',
  method: 'POST',
  path: '/v1/tasks/:id/cancel',
  summary: 'Cancel a task',
  description:
    'A queued task is cancelled at once. A generating one only when its provider confirms ' +
    'that it stopped. The task is then failed with `failed_reason` `cancelled`, and ' +
    'refunded.',
  tag: 'Tasks',
  auth: 'key',
  permission: 'tasks:cancel',
  extension: true,
  params: TaskParams,
  responses: {
    200: {
      description: 'The cancelled task.',
      schema: TaskStatusResponse,
      examples: { cancelled: { summary: 'Cancelled', value: cancelledTask } },
    },
    ...errorResponses(['invalid_request', 'not_found', ...apiKeyErrors], {
      invalid_request: errorExample(
        'invalid_request',
        'The task is already generating at a provider that cannot stop it: wait until it has ' +
          'completed or failed.',
      ),
    }),
  },
};
