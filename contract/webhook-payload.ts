/**
 * The two webhook payloads (docs/spec.md 6.2 and 6.3), with exactly these fields; `metadata` is an
 * extension and only there if create was sent it.
 */
import { z } from 'zod';
import { Metadata } from './metadata.ts';
import { ModelId } from './model-name.ts';
import { failedReasons, TaskData } from './task-status.ts';

const metadata = Metadata.optional().describe('Extension. Present if the create had it.');

const head = {
  id: z.string().describe('The ID of the task. Ignore a webhook for a task that you have handled.'),
  created_at: z.int().min(0).describe('Unix time in whole seconds.'),
  model: ModelId,
};

export const CompletionPayload = z
  .strictObject({
    ...head,
    status: z.literal('completed'),
    data: TaskData,
    metadata,
  })
  .meta({ id: 'CompletionPayload' });
export type CompletionPayload = z.infer<typeof CompletionPayload>;

export const FailurePayload = z
  .strictObject({
    ...head,
    status: z.literal('failed'),
    data: z.strictObject({
      failed_reason: z.enum(failedReasons),
      credits_refunded: z.int().min(0).describe('0 if the refund needs an administrator.'),
    }),
    metadata,
  })
  .meta({ id: 'FailurePayload' });
export type FailurePayload = z.infer<typeof FailurePayload>;
