/** The operator's hand on tasks and deliveries, each act in the audit log; and the invariants. */
import { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import {
  AdminTask,
  AdminTaskDetail,
  Delivery,
  DeliveryParams,
  SettleRefundRequest,
} from '@vidgen/contract/admin-tasks.ts';
import { failureMessage, type RefundState } from '@vidgen/contract/failure-messages.ts';
import { TaskParams } from '@vidgen/contract/list-tasks.ts';
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import { adminErrors, bodyErrors, errorExample } from './errors.ts';
import type { RouteDescription } from './route-description.ts';
import { adminTask, cancelledTask, delivery, taskHistory } from './samples.ts';

const refunded: RefundState = { billingStatus: 'refunded', refundOutcome: null };
const writtenOff: RefundState = { billingStatus: 'refund_failed', refundOutcome: 'written_off' };
const failureOf = (reason: FailedReason, state: RefundState) => ({
  reason,
  part: null,
  sentence: failureMessage({ reason, part: null, ...state }),
});

const noTask = errorExample('not_found', 'There is no task with this id.');

export const getAnyTask: RouteDescription = {
  operationId: 'getAnyTask',
  method: 'GET',
  path: '/admin/tasks/:id',
  summary: 'Look at a task of any account',
  description: 'With every attempt made for it at a provider.',
  tag: 'Admin',
  auth: 'member',
  role: 'viewer',
  resource: 'task',
  params: TaskParams,
  responses: {
    200: {
      description: 'The task.',
      schema: AdminTaskDetail,
      examples: {
        completed: {
          summary: 'Completed at the first attempt',
          value: {
            ...adminTask,
            ...taskHistory,
          },
        },
      },
    },
    ...adminErrors(['not_found'], { not_found: noTask }),
  },
};

export const cancelAnyTask: RouteDescription = {
  operationId: 'cancelAnyTask',
  method: 'POST',
  path: '/admin/tasks/:id/cancel',
  summary: 'Cancel a task of any account',
  description: 'By the rules of the customer’s own cancel.',
  tag: 'Admin',
  auth: 'member',
  role: 'developer',
  resource: 'task',
  params: TaskParams,
  responses: {
    200: {
      description: 'The cancelled task.',
      schema: AdminTask,
      examples: {
        cancelled: {
          summary: 'Cancelled',
          value: {
            ...withoutData(adminTask),
            ...cancelledTask,
            progress: 0.4,
            failure: failureOf('cancelled', refunded),
          },
        },
      },
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      invalid_request: errorExample(
        'invalid_request',
        `The task ${adminTask.id} is already completed: only one in progress can be cancelled.`,
      ),
      not_found: noTask,
    }),
  },
};

const unbooked = {
  ...withoutData(adminTask),
  progress: 0.4,
  status: 'failed',
  failed_reason: 'timed_out',
};

export const settleRefund: RouteDescription = {
  operationId: 'settleRefund',
  method: 'POST',
  path: '/admin/tasks/:id/settle-refund',
  summary: 'Settle a refund that could not be booked',
  description:
    'For tasks whose `billing_status` is `refund_failed`. It is the one booking that a closed ' +
    'account still takes.',
  tag: 'Admin',
  auth: 'admin',
  requiresConfirmation: true,
  params: TaskParams,
  body: SettleRefundRequest,
  requestExamples: {
    refunded: {
      summary: 'Give the credits back',
      value: { outcome: 'refunded', note: 'Agreed by phone' },
    },
    written_off: {
      summary: 'Leave it at that',
      value: { outcome: 'written_off', note: 'Account closed for abuse' },
    },
  },
  responses: {
    200: {
      description: 'The task, settled.',
      schema: AdminTask,
      examples: {
        refunded: {
          summary: 'Refunded',
          value: {
            ...unbooked,
            billing_status: 'refunded',
            failure: failureOf('timed_out', { ...refunded, refundOutcome: 'refunded' }),
            refund_outcome: 'refunded',
          },
        },
        written_off: {
          summary: 'Written off',
          value: {
            ...unbooked,
            billing_status: 'refund_failed',
            failure: failureOf('timed_out', writtenOff),
            refund_outcome: 'written_off',
          },
        },
      },
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      invalid_request: errorExample(
        'invalid_request',
        `The task ${adminTask.id} is charged: only one whose refund failed can be settled.`,
      ),
      not_found: noTask,
    }),
  },
};

export const replayDelivery: RouteDescription = {
  operationId: 'replayDelivery',
  method: 'POST',
  path: '/admin/deliveries/:id/replay',
  summary: 'Make a webhook call again',
  description: 'The same body and `webhook-id`; the schedule of retries starts from the beginning.',
  tag: 'Admin',
  auth: 'member',
  role: 'developer',
  resource: 'delivery',
  params: DeliveryParams,
  responses: {
    202: {
      description: 'The delivery, pending again.',
      schema: Delivery,
      examples: {
        pending: {
          summary: 'Pending again',
          value: { ...delivery, status: 'pending', delivered_at: null, attempts: [] },
        },
      },
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      ...bodyErrors,
      not_found: errorExample('not_found', 'There is no delivery with this id.'),
    }),
  },
};

export const checkInvariants: RouteDescription = {
  operationId: 'auditBooks',
  method: 'GET',
  path: '/admin/audit',
  summary: 'Recompute the five invariants',
  description: 'Reads every row there is: for operators, not for a monitor that asks every second.',
  tag: 'Admin',
  auth: 'admin',
  responses: {
    200: {
      description: 'Whether the books hold, invariant by invariant.',
      schema: AuditResponse,
      examples: {
        sound: {
          summary: 'All hold',
          value: {
            ok: true,
            checks: [
              {
                name: 'reserved = sum over unsettled tasks',
                ok: true,
                checked: 12,
                offenders: [],
              },
            ],
          },
        },
      },
    },
    ...adminErrors([]),
  },
};

function withoutData<Task extends { data: unknown }>({ data: _, ...task }: Task) {
  return task;
}
