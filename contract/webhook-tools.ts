/** Tools for webhook receivers: send a test webhook and replay failed deliveries. */
import { z } from 'zod';
import { parseTimestamp, timestampRule } from './list.ts';

export const TestWebhookRequest = z
  .strictObject({ url: z.string().min(1).max(2048).describe('Where to call; judged as always.') })
  .meta({ id: 'TestCallRequest' });

export const TestWebhookResponse = z
  .object({
    id: z.string().describe('Sent as `webhook-id`.'),
    body: z.string().describe('What was sent: a completed task that does not exist.'),
    answer_status: z.int().nullable().describe('Status of the response.'),
    answer_body: z.string().nullable().describe('The beginning of the response body.'),
    error: z.string().nullable().describe('Why there was no response.'),
    duration_ms: z.int().min(0),
  })
  .meta({ id: 'TestWebhook' });
export type TestWebhookResponse = z.infer<typeof TestWebhookResponse>;

export const ReplayFailedRequest = z
  .strictObject({
    since: z
      .union([z.int(), z.string()], timestampRule)
      .refine((value) => parseTimestamp(String(value)) !== null, timestampRule)
      .describe('Unix seconds or ISO 8601: deliveries created then or later.'),
  })
  .meta({ id: 'ReplayFailedRequest' });
export const ReplayFailedResponse = z
  .object({ replayed: z.int().min(0).describe('Deliveries that are being made again.') })
  .meta({ id: 'ReplayFailed' });
export type ReplayFailedResponse = z.infer<typeof ReplayFailedResponse>;
