/** Lists the tasks of an account, newest first. */
import { ListAccountTasksQuery, ListAccountTasksResponse } from '@vidgen/contract/admin-tasks.ts';
import { getAccount } from '../../accounts/account.ts';
import { endpoint } from '../http/endpoint.ts';
import { adminTask, listDescription } from './samples.ts';
import { accountTasksResponse } from './task-list.ts';

export const listAccountTasks = endpoint({
  parsesItself: true,
  operationId: 'listAccountTasks',
  method: 'GET',
  path: '/admin/accounts/:id/tasks',
  summary: 'List tasks of an account',
  auth: 'member',
  role: 'viewer',
  query: ListAccountTasksQuery,
  responses: { 200: listDescription(ListAccountTasksResponse, adminTask) },
  async handler(services, request) {
    const { id: accountId } = await getAccount(services.lifecycle.db, request.params.id!);
    return await accountTasksResponse(services, { request, accountId });
  },
});
