/** Cancels a task of any account, by the rules of `POST /v1/tasks/:id/cancel`. */
import { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import type { Transaction } from '../../database/database.ts';
import { cancel } from '../../lifecycle/cancel.ts';
import { endpoint } from '../http/endpoint.ts';
import { failedTask } from './samples.ts';
import { adminTaskViews, findTask } from './task-list.ts';

const alreadyCompleted =
  'Task task_01kbwq3n7he9rv5t2m8xz4c6da is already completed; only tasks in progress can be ' +
  'canceled.';
const cancelledSample = failedTask('cancelled', { billingStatus: 'refunded', refundOutcome: null });

export const cancelAnyTask = endpoint({
  operationId: 'cancelAnyTask',
  method: 'POST',
  path: '/admin/tasks/:id/cancel',
  summary: 'Cancel a task of any account',
  description: 'Follows the rules of `POST /v1/tasks/{id}/cancel`.',
  auth: 'member',
  role: 'developer',
  responses: {
    200: {
      description: 'The cancelled task.',
      schema: AdminTask,
      examples: { cancelled: ['Cancelled', cancelledSample] },
    },
  },
  errors: {
    invalid_request: alreadyCompleted,
  },
  async handler(services, request) {
    const { lifecycle } = services;
    const { actor, reauthorize } = request;
    const task = await findTask(services, request);
    const writeAudit = (tx: Transaction) =>
      recordAudit(tx, {
        actor,
        action: 'task.cancel',
        subject: task.id,
        accountId: task.accountId,
      });
    const cancelled = await cancel(lifecycle, task, { reauthorize, writeAudit });
    const [body] = await adminTaskViews(lifecycle, [cancelled]);
    return { body };
  },
});
