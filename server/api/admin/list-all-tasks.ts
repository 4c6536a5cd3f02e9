/** Lists all tasks. `refund=waiting` is the queue for manual handling (docs/spec.md 3.2). */
import { ListAccountTasksResponse, ListAllTasksQuery } from '@vidgen/contract/admin-tasks.ts';
import { endpoint } from '../http/endpoint.ts';
import { adminTask, listDescription } from './samples.ts';
import { allTasksResponse } from './task-list.ts';

export const listAllTasks = endpoint({
  parsesItself: true,
  operationId: 'listAllTasks',
  method: 'GET',
  path: '/admin/tasks',
  summary: 'List tasks of all accounts',
  description: '`refund=waiting` lists tasks whose refund needs an administrator.',
  auth: 'admin',
  query: ListAllTasksQuery,
  responses: { 200: listDescription(ListAccountTasksResponse, adminTask) },
  handler: allTasksResponse,
});
