/** Deletes a final task with its prompt, inputs, metadata, results and webhook delivery. */
import { recordAudit } from '../../accounts/audit-log.ts';
import type { Transaction } from '../../database/database.ts';
import { eraseTask } from '../../lifecycle/upkeep/erase.ts';
import type { Task } from '../../tasks/task.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { findOwnTask } from './get-task.ts';

export const deleteTask = endpoint({
  operationId: 'deleteTask',
  method: 'DELETE',
  path: '/v1/tasks/:id',
  summary: 'Delete a task',
  description:
    'Deletes a completed or failed task with its prompt, inputs, metadata, results and webhook. ' +
    'It is `not_found` from then on, and its signed URLs no longer work. Credits and usage do ' +
    'not change. A key deletes tasks of its own mode.',
  auth: 'key',
  permission: 'tasks:delete',
  extension: true,
  responses: { 204: { description: 'The task is deleted.' } },
  errors: {
    invalid_request:
      'The task task_01kbwq3n7he9rv5t2m8xz4c6da is generating; cancel it, or wait until it has ' +
      'completed or failed.',
  },
  async handler(services, request) {
    // A test key must not delete what live credits paid for.
    const task = await findOwnTask(services, request, { ofKeyMode: true });
    await deleteFor(services, request, task);
    return { status: 204 };
  },
});

/** Deletes a task for the caller, and notes it in the audit log. */
export async function deleteFor(
  { lifecycle }: ApiServices,
  { actor, reauthorize }: ApiRequest,
  task: Task,
): Promise<void> {
  const { id: subject, accountId, mode } = task;
  const writeAudit = (tx: Transaction) => {
    const detail = { account: accountId, mode };
    return recordAudit(tx, { actor, action: 'task.delete', subject, detail, accountId });
  };
  await eraseTask(lifecycle, task, { reauthorize, writeAudit });
}
