/** Exports the tasks of an account as a file. */
import { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { ExportTasksQuery } from '@vidgen/contract/usage.ts';
import { getAccount } from '../../accounts/account.ts';
import { endpoint } from '../http/endpoint.ts';
import { exportDescription } from './export-response.ts';
import { exportTasks } from './export-tasks.ts';
import { exportLimit } from './session-limits.ts';

export const exportAccountTasks = endpoint({
  parsesItself: true,
  operationId: 'exportAccountTasks',
  method: 'GET',
  path: '/admin/accounts/:id/tasks/export',
  summary: 'Export tasks of an account',
  description: 'Returns all tasks that match the filters of the list.',
  auth: 'member',
  role: 'viewer',
  sessionLimit: exportLimit,
  query: ExportTasksQuery,
  responses: { 200: exportDescription(AdminTask) },
  async handler(services, request) {
    const account = await getAccount(services.lifecycle.db, request.params.id!);
    return await exportTasks(services, request, account);
  },
});
