/** Lists the tasks of the key's account in the key's mode, newest first. */
import assert from 'node:assert/strict';
import { ListTasksQuery, ListTasksResponse } from '@vidgen/contract/list-tasks.ts';
import { taskStatusView } from '../../tasks/view.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { completedTask, queuedTask } from '../http/samples.ts';
import { filterSeconds, taskPage } from './task-page.ts';

export const listTasks = endpoint({
  parsesItself: true,
  operationId: 'listTasks',
  method: 'GET',
  path: '/v1/tasks',
  summary: 'List tasks',
  description: 'Returns the tasks of the account in the mode of the key, newest first.',
  auth: 'key',
  permission: 'tasks:read',
  extension: true,
  query: ListTasksQuery,
  responses: {
    200: {
      description: 'A page of tasks.',
      schema: ListTasksResponse,
      examples: {
        page: ['The last page', { items: [queuedTask, completedTask], next_cursor: null }],
      },
    },
  },
  errors: {
    invalid_request: 'status must be one of queued, generating, completed, failed (got "done")',
  },
  async handler(services, { query, identity }) {
    assert(identity);
    const { created_after, created_before, cursor, ...filter } = parseQuery(ListTasksQuery, query);
    const page = await taskPage(services, {
      ...filter,
      accountId: identity.accountId,
      mode: identity.mode,
      createdAfter: filterSeconds(created_after),
      createdBefore: filterSeconds(created_before),
      beforeId: cursor,
    });
    const items = page.tasks.map((task) => taskStatusView(task, services.lifecycle.resultUrl));
    return { body: { items, next_cursor: page.nextCursor } };
  },
});
