/** The two webhook payloads (docs/spec.md 6.2 and 6.3), with exactly these fields. */
import { z } from 'zod';
import { modelNames } from './models.ts';
import { failedReasons, TaskData } from './task-status.ts';

const head = {
  id: z.string().describe('The task; receivers drop duplicates by it.'),
  created_at: z.int().min(0).describe('Unix time in whole seconds.'),
  model: z.enum(modelNames),
};

export const CompletionPayload = z
  .strictObject({
    ...head,
    status: z.literal('completed'),
    data: TaskData,
  })
  .meta({ id: 'CompletionCall' });
export type CompletionPayload = z.infer<typeof CompletionPayload>;

export const FailurePayload = z
  .strictObject({
    ...head,
    status: z.literal('failed'),
    data: z.strictObject({
      failed_reason: z.enum(failedReasons),
      credits_refunded: z.int().min(0).describe('0 when the refund itself could not be booked.'),
    }),
  })
  .meta({ id: 'FailureCall' });
export type FailurePayload = z.infer<typeof FailurePayload>;
