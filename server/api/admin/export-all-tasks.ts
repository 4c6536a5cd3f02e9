/** Exports the tasks of all accounts as a file. */
import { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { ExportAllTasksQuery } from '@vidgen/contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { exportDescription } from './export-response.ts';
import { exportTasks } from './export-tasks.ts';
import { exportLimit } from './session-limits.ts';

export const exportAllTasks = endpoint({
  parsesItself: true,
  operationId: 'exportAllTasks',
  method: 'GET',
  path: '/admin/tasks/export',
  summary: 'Export tasks of all accounts',
  description: 'Returns all tasks that match the filters of the list.',
  auth: 'admin',
  sessionLimit: exportLimit,
  query: ExportAllTasksQuery,
  responses: { 200: exportDescription(AdminTask) },
  handler: (services, request) => exportTasks(services, request),
});
