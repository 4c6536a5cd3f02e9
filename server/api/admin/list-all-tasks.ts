/** Lists all tasks. `refund=waiting` is the queue for manual handling (docs/spec.md 3.2). */
import { ListAccountTasksQuery, ListAccountTasksResponse } from '@vidgen/contract/admin-tasks.ts';
import { endpoint } from '../http/endpoint.ts';
import { adminTask, listDescription } from './samples.ts';
import { taskListResponse } from './task-list.ts';

export const listAllTasks = endpoint({
  operationId: 'listAllTasks',
  method: 'GET',
  path: '/admin/tasks',
  summary: 'List tasks of all accounts',
  description: '`refund=waiting` lists tasks whose refund needs an administrator.',
  auth: 'admin',
  query: ListAccountTasksQuery,
  responses: { 200: listDescription(ListAccountTasksResponse, adminTask) },
  handler: (services, request) => taskListResponse(services, { request }),
});
