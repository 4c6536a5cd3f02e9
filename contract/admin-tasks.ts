/** Operator: tasks of an account, refunds that wait for a person, and webhook deliveries. */
import { z } from 'zod';
import { FailureShown } from './failure-sentences.ts';
import { createdQuery, idParams, listOf, modeQuery, pageQuery } from './list.ts';
import { keyModes, modelNames } from './models.ts';
import { billingStatuses, TaskStatusAnswer, taskStatuses } from './task-status.ts';
import { lineOfText } from './text.ts';

const unixSeconds = (description: string) => z.int().min(0).describe(description);

export const refundOutcomes = ['refunded', 'written_off'] as const;

/** All fields of the contract's task, and what only the operator is shown. */
export const AdminTask = z
  .object({
    ...TaskStatusAnswer.shape,
    account_id: z.string(),
    mode: z.enum(keyModes),
    callback_url: z.string().nullable(),
    progress: z.number().min(0).max(1).nullable().describe('0 to 1, where the provider tells.'),
    failure: FailureShown.nullable().describe('Why it failed, in words for its owner; else null.'),
    refund_outcome: z
      .enum(refundOutcomes)
      .nullable()
      .describe('How a refund that could not be booked was settled; null while it waits.'),
  })
  .meta({ id: 'AdminTask' });
export type AdminTask = z.infer<typeof AdminTask>;

/** One task with what was tried for it: what an operator needs to find out what happened. */
export const AdminTaskDetail = AdminTask.extend({
  attempts: z.array(
    z.object({
      number: z.int().min(1),
      provider: z.string(),
      operation: z.string().nullable().describe('The provider’s handle; null while not known.'),
      outcome: z.string().nullable().describe('Null while it is open.'),
      detail: z.string().nullable().describe('The provider’s own words.'),
      loss: z.string().nullable().describe('What came of it after the task was final.'),
      output_seconds: z
        .number()
        .nullable()
        .describe('How long the video is, where the provider tells; charged is what was reserved.'),
      started_at: unixSeconds('Unix time in whole seconds.'),
    }),
  ),
}).meta({ id: 'AdminTaskDetail' });
export type AdminTaskDetail = z.infer<typeof AdminTaskDetail>;

export const ListAccountTasksQuery = z.strictObject({
  ...modeQuery,
  status: z.enum(taskStatuses).optional().describe('Only tasks with this status.'),
  billing_status: z
    .enum(billingStatuses)
    .optional()
    .describe('Only tasks with this billing status.'),
  refund: z
    .enum(['waiting'])
    .optional()
    .describe('`waiting`: only tasks whose refund waits for a person, the queue to settle.'),
  model: z.enum(modelNames).optional().describe('Only tasks of this model.'),
  ...createdQuery,
  ...pageQuery,
});
export type ListAccountTasksQuery = z.infer<typeof ListAccountTasksQuery>;
export const ListAccountTasksAnswer = listOf(AdminTask).meta({ id: 'AdminTaskList' });
export type ListAccountTasksAnswer = z.infer<typeof ListAccountTasksAnswer>;

export const SettleRefundRequest = z
  .strictObject({
    outcome: z
      .enum(refundOutcomes)
      .describe(
        '`refunded` returns the suspended credits and makes the task `refunded`; `written_off` ' +
          'leaves it `refund_failed` and takes it off the queue.',
      ),
    note: lineOfText({ charactersMax: 1000 }).describe('Why: kept in the audit log.'),
  })
  .meta({ id: 'SettleRefundRequest' });
export type SettleRefundRequest = z.infer<typeof SettleRefundRequest>;

/** `exhausted`: every retry was used; a replay starts the schedule again. */
export const deliveryStatuses = ['pending', 'delivered', 'exhausted'] as const;

export const DeliveryParams = idParams('The delivery: what calls carry as `webhook-id`.');

export const Delivery = z
  .object({
    id: z.string().describe('Sent as `webhook-id`, the same over retries and replays.'),
    account_id: z.string(),
    task_id: z.string(),
    mode: z.enum(keyModes),
    url: z.string(),
    status: z.enum(deliveryStatuses),
    attempts_made: z.int().min(0).describe('Calls made, replays included.'),
    created_at: unixSeconds('Unix time in whole seconds.'),
    delivered_at: unixSeconds('When a receiver first answered 2xx.').nullable(),
    next_attempt_at: unixSeconds('When the next call is due.').nullable(),
    attempts: z
      .array(
        z.object({
          number: z.int().min(1),
          round: z.int().min(1).describe('1, and one more with each replay.'),
          started_at: unixSeconds('Unix time in whole seconds.'),
          duration_ms: z.int().min(0),
          answer_status: z.int().nullable().describe('What the receiver answered.'),
          answer_body: z.string().nullable().describe('The beginning of its body.'),
          error: z.string().nullable().describe('Why there was no answer.'),
        }),
      )
      .describe('Newest first.'),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof Delivery>;

export const ListDeliveriesQuery = z.strictObject({
  status: z.enum(deliveryStatuses).optional().describe('Only deliveries with this status.'),
  task_id: z.string().optional().describe('Only the delivery of this task.'),
  ...pageQuery,
});
export type ListDeliveriesQuery = z.infer<typeof ListDeliveriesQuery>;
export const ListDeliveriesAnswer = listOf(Delivery).meta({ id: 'DeliveryList' });
export type ListDeliveriesAnswer = z.infer<typeof ListDeliveriesAnswer>;
