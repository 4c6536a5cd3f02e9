/** Deletes a final task of any account, by the rules of `DELETE /v1/tasks/:id`. */
import { endpoint } from '../http/endpoint.ts';
import { deleteFor } from '../v1/tasks.ts';
import { findTask } from './task-list.ts';

export const deleteAnyTask = endpoint({
  operationId: 'deleteAnyTask',
  method: 'DELETE',
  path: '/admin/tasks/:id',
  summary: 'Delete a task of any account',
  description: 'Follows the rules of `DELETE /v1/tasks/{id}`.',
  auth: 'member',
  role: 'developer',
  responses: { 204: { description: 'The task is deleted.' } },
  errors: {
    invalid_request: 'The refund of this task is not resolved yet; delete the task after that.',
  },
  async handler(services, request) {
    await deleteFor(services, request, await findTask(services, request));
    return { status: 204 };
  },
});
