/** The task as clients see it (docs/spec.md 2.1), and its two status fields (docs/spec.md 3). */
import { z } from 'zod';
import { Metadata } from './metadata.ts';
import { ModelId } from './model-name.ts';

export const taskStatuses = ['queued', 'generating', 'completed', 'failed'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const billingStatuses = ['reserved', 'charged', 'refunded', 'refund_failed'] as const;
export type BillingStatus = (typeof billingStatuses)[number];

/** A closed list: docs/spec.md 2.1 names only `provider_failed`, Decision 0001 the others. */
export const failedReasons = [
  'provider_failed',
  'provider_rejected',
  'material_unavailable',
  'timed_out',
  'cancelled',
  'internal_error',
] as const;
export type FailedReason = (typeof failedReasons)[number];

export const TaskData = z
  .strictObject({
    results: z.array(z.string()).describe('URLs of the video; empty after `video_expires_at`.'),
    video_expires_at: z.string().describe('When the result expires: ISO 8601 in UTC.'),
    last_frame_url: z
      .string()
      .nullable()
      .describe('URL of the last frame if `return_last_frame` was set; otherwise null.'),
    processing_time: z
      .int()
      .min(0)
      .describe('Whole seconds from the first submission to the provider until the final state.'),
  })
  .meta({ id: 'TaskData' });
export type TaskData = z.infer<typeof TaskData>;

/** Every field of a task, as our own code reads them. */
export const TaskStatusResponse = z.strictObject({
  id: z.string().describe('The `taskId` of the create response.'),
  status: z.enum(taskStatuses),
  created_at: z.int().min(0).describe('Unix time in whole seconds.'),
  model: ModelId,
  billing_status: z.enum(billingStatuses),
  credits: z.int().min(1).describe('Credits reserved for the task.'),
  failed_reason: z
    .enum(failedReasons)
    .nullable()
    .describe('Why a failed task failed; null for every other task.'),
  data: TaskData.optional().describe('Only on a completed task.'),
  metadata: Metadata.optional().describe('Extension. Present if the create had it.'),
});
export type TaskStatusResponse = z.infer<typeof TaskStatusResponse>;

const noFailure = z.null().describe('Null unless it failed.');

/** The same by status, as the document describes it: a client knows which fields there are. */
export const TaskResponse = z
  .discriminatedUnion('status', [
    TaskStatusResponse.omit({ data: true })
      .extend({
        status: z.enum(['queued', 'generating']),
        billing_status: z.literal('reserved'),
        failed_reason: noFailure,
      })
      .meta({ id: 'TaskInProgress' }),
    TaskStatusResponse.extend({
      status: z.literal('completed'),
      billing_status: z.literal('charged'),
      failed_reason: noFailure,
      data: TaskData,
    }).meta({ id: 'CompletedTask' }),
    TaskStatusResponse.omit({ data: true })
      .extend({
        status: z.literal('failed'),
        billing_status: z.enum(['refunded', 'refund_failed']),
        failed_reason: z.enum(failedReasons).describe('Why it failed.'),
      })
      .meta({ id: 'FailedTask' }),
  ])
  .meta({ id: 'Task' });
