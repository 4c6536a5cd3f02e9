/** Cancels a task and refunds it, while the provider has not billed it. */
import { TaskResponse } from '@vidgen/contract/task-status.ts';
import { cancel } from '../../lifecycle/cancel.ts';
import { taskStatusView } from '../../tasks/view.ts';
import { endpoint } from '../http/endpoint.ts';
import { cancelledTask } from '../http/samples.ts';
import { findOwnTask } from './get-task.ts';

export const cancelTask = endpoint({
  operationId: 'cancelTask',
  method: 'POST',
  path: '/v1/tasks/:id/cancel',
  summary: 'Cancel a task',
  description:
    'A queued task is cancelled at once, a generating task when its provider confirms that it ' +
    'has stopped. The task has then failed with the reason `cancelled`, and is refunded. A key ' +
    'cancels tasks of its own mode.',
  auth: 'key',
  permission: 'tasks:cancel',
  extension: true,
  responses: {
    200: {
      description: 'The cancelled task.',
      schema: TaskResponse,
      examples: { cancelled: ['Cancelled', cancelledTask] },
    },
  },
  errors: {
    invalid_request:
      'The task is already generating at a provider that cannot stop it: wait until it has ' +
      'completed or failed.',
  },
  async handler(services, request) {
    // A test key must not stop what live credits pay for.
    const found = await findOwnTask(services, request, { ofKeyMode: true });
    const task = await cancel(services.lifecycle, found, request);
    return { body: taskStatusView(task, services.lifecycle.resultUrl) };
  },
});
