/** The status endpoint (Spec 4.2) and the extensions beside it: list and cancel. */
import {
  GetTaskQuery,
  ListTasksAnswer,
  ListTasksQuery,
  TaskParams,
} from '@vidgen/contract/list-tasks.ts';
import { TaskStatusAnswer } from '@vidgen/contract/task-status.ts';
import type { RouteDescription } from '../route-description.ts';
import { keyRefusals, refusalExample, refusals } from './refusals.ts';
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
  answers: {
    200: {
      description: 'The task. `data` is there only when it has completed.',
      schema: TaskStatusAnswer,
      headers: ['Retry-After'],
      examples: {
        queued: { summary: 'In progress', value: queuedTask },
        completed: { summary: 'Completed', value: completedTask },
        failed: { summary: 'Failed, and refunded', value: failedTask },
      },
    },
    ...refusals(['invalid_request', 'not_found', ...keyRefusals], {
      invalid_request: refusalExample('invalid_request', 'wait must be at most 60 (got "300")'),
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
  answers: {
    200: {
      description: 'A page of tasks.',
      schema: ListTasksAnswer,
      examples: {
        page: {
          summary: 'The last page',
          value: { items: [queuedTask, completedTask], next_cursor: null },
        },
      },
    },
    ...refusals(['invalid_request', ...keyRefusals], {
      invalid_request: refusalExample(
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
  answers: {
    200: {
      description: 'The cancelled task.',
      schema: TaskStatusAnswer,
      examples: { cancelled: { summary: 'Cancelled', value: cancelledTask } },
    },
    ...refusals(['invalid_request', 'not_found', ...keyRefusals], {
      invalid_request: refusalExample(
        'invalid_request',
        'The task is already generating at a provider that cannot stop it: wait until it has ' +
          'completed or failed.',
      ),
    }),
  },
};
