/** Settles a refund that could not be booked: books it after all, or writes it off. */
import { AdminTask, SettleRefundRequest } from '@vidgen/contract/admin-tasks.ts';
import { resolveFailedRefund } from '../../lifecycle/settle/settle-refund.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { taskId } from '../http/samples.ts';
import { failedTask } from './samples.ts';
import { adminTaskViews, findTask } from './task-list.ts';

const refunded = { billingStatus: 'refunded', refundOutcome: 'refunded' } as const;
const writtenOff = { billingStatus: 'refund_failed', refundOutcome: 'written_off' } as const;

export const settleRefund = endpoint({
  parsesItself: true,
  operationId: 'settleRefund',
  method: 'POST',
  path: '/admin/tasks/:id/settle-refund',
  summary: 'Resolve a failed refund',
  description:
    'For tasks whose `billing_status` is `refund_failed`. This is the only ledger entry that a ' +
    'closed account accepts.',
  auth: 'admin',
  requiresConfirmation: true,
  body: SettleRefundRequest,
  requestExamples: {
    refunded: ['Give the credits back', { outcome: 'refunded', note: 'Agreed by phone' }],
    written_off: ['Leave it at that', { outcome: 'written_off', note: 'Account closed for abuse' }],
  },
  responses: {
    200: {
      description: 'The task, settled.',
      schema: AdminTask,
      examples: {
        refunded: ['Refunded', failedTask('timed_out', refunded)],
        written_off: ['Written off', failedTask('timed_out', writtenOff)],
      },
    },
  },
  errors: {
    invalid_request: `Task ${taskId} is charged; only failed refunds can be settled.`,
  },
  async handler(services, request) {
    const { lifecycle } = services;
    const { outcome, note } = parseBody(SettleRefundRequest, request.body);
    const task = await findTask(services, request);
    const settlement = { task, outcome, note, actor: request.actor };
    const settled = await resolveFailedRefund(request.transaction, settlement);
    if (outcome === 'refunded') {
      lifecycle.measurements.countCredits('release', task.mode, task.credits);
    }
    const [body] = await adminTaskViews(lifecycle, [settled]);
    return { body };
  },
});
