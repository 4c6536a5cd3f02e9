/** Sends a test webhook, guarded and signed like a real one, and returns the response. */
import { randomBytes } from 'node:crypto';
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { CompletionPayload } from '@vidgen/contract/webhook-payload.ts';
import { TestWebhookRequest, TestWebhookResponse } from '@vidgen/contract/webhook-tools.ts';
import { getAccount, webhookSecrets } from '../../accounts/account.ts';
import { databaseSeconds } from '../../database/database-clock.ts';
import { recordUse, requireQuota } from '../../rate-limits/account-quota.ts';
import { newTaskId } from '../../tasks/task-id.ts';
import { sendWebhook } from '../../webhooks/send.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { completionPayload } from '../http/samples.ts';

/** Enough for a person, too few for a program that uses the service to call other hosts. */
const testWebhookQuota = {
  purpose: 'test calls',
  limit: 10,
  windowSeconds: 60,
  label: '10 test webhooks per minute and account',
} as const;

const sent = {
  id: 'msg_test_3f2a9c1b7d5e8f604a2b9c1d',
  body: JSON.stringify(completionPayload),
};

export const sendTestWebhook = endpoint({
  parsesItself: true,
  operationId: 'sendTestCall',
  method: 'POST',
  path: '/admin/accounts/:id/deliveries/test',
  summary: 'Send a test webhook',
  description:
    'Sends a completed task that does not exist, signed and checked like a real webhook; its ' +
    '`webhook-id` begins with `msg_test_`. Sent once and not stored. At most 10 per minute and ' +
    'account.',
  auth: 'member',
  role: 'developer',
  requiresActiveAccount: true,
  body: TestWebhookRequest,
  requestExamples: { receiver: ['A receiver', { url: 'https://hooks.example.com/vidgen' }] },
  responses: {
    200: {
      description: 'What was sent, and what came back.',
      schema: TestWebhookResponse,
      examples: {
        taken: [
          'Taken',
          { ...sent, answer_status: 200, answer_body: 'ok', error: null, duration_ms: 84 },
        ],
        unreached: [
          'Nobody there',
          { ...sent, answer_status: null, answer_body: null, error: 'connect', duration_ms: 12 },
        ],
      },
    },
  },
  errors: { invalid_request: 'url must start with https://', rate_limited: true },
  async handler({ lifecycle: { db, egress }, publicUrl }, request) {
    const { id: accountId } = await getAccount(db, request.params.id!);
    const { url } = parseBody(TestWebhookRequest, request.body);
    const checked = egress.check(url, 'callback');
    if (!checked.ok) throw new ApiError('invalid_request', `url ${checked.rule}`);
    await request.transaction(async (tx) => {
      await requireQuota(tx, { accountId, ...testWebhookQuota });
      await recordUse(tx, { accountId, ...testWebhookQuota });
    });
    const nowSeconds = await databaseSeconds(db);
    // The prefix tells it from a real delivery. It is not stored.
    const id = `msg_test_${randomBytes(12).toString('hex')}`;
    const body = JSON.stringify(samplePayload({ publicUrl: publicUrl(), nowSeconds }));
    const secrets = await webhookSecrets(db, accountId);
    const delivery = { id, url, body };
    const result = await sendWebhook(egress.post, { delivery, secrets, nowSeconds });
    const response: TestWebhookResponse = {
      id,
      body,
      answer_status: result.responseStatus,
      answer_body: result.responseBody,
      error: result.error,
      duration_ms: result.durationMs,
    };
    return { body: response };
  },
});

/** The payload of a completion (docs/spec.md 6.2), for a task that does not exist. */
function samplePayload(options: { publicUrl: string; nowSeconds: number }): CompletionPayload {
  const { publicUrl, nowSeconds } = options;
  const id = newTaskId();
  const expires = nowSeconds + 86_400;
  return {
    id,
    status: 'completed',
    created_at: nowSeconds - 60,
    model: 'vidgen-2-5',
    data: {
      results: [`${publicUrl}/results/${id}/video.mp4?expires=${expires}&signature=test`],
      video_expires_at: new Date(expires * 1000).toISOString(),
      last_frame_url: null,
      processing_time: 58,
    },
  };
}
