/**
 * For whoever builds a receiver: a call to try it with, and everything that was given up, again. A
 * test call goes through the same guard and carries the same signature as a real one.
 */
import { randomBytes } from 'node:crypto';
import { parseTimestamp } from '@vidgen/contract/list.ts';
import type { CompletionPayload } from '@vidgen/contract/webhook-payload.ts';
import {
  ReplayFailedRequest,
  type ReplayFailedResponse,
  TestWebhookRequest,
  type TestWebhookResponse,
} from '@vidgen/contract/webhook-tools.ts';
import { getAccount, webhookSecrets } from '../../accounts/account.ts';
import { ApiError } from '../../api-error.ts';
import { databaseSeconds } from '../../database/database-clock.ts';
import { replayFailed } from '../../lifecycle/replay.ts';
import { recordUse, requireQuota } from '../../rate-limits/account-quota.ts';
import { newTaskId } from '../../tasks/task-id.ts';
import { sendWebhook } from '../../webhooks/send.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { parseBody } from '../http/parse-request.ts';

/** A person tries again and again; a program that uses us to call others does not get far. */
const testWebhookQuota = {
  purpose: 'test calls',
  limit: 10,
  windowSeconds: 60,
  label: '10 test calls a minute',
} as const;

export async function postTestWebhook(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { db, egress } = services.lifecycle;
  const { id: accountId } = await getAccount(db, request.params.id!);
  const { url } = parseBody(TestWebhookRequest, request.body);
  const checked = egress.check(url, 'callback');
  if (!checked.ok) throw new ApiError('invalid_request', `url ${checked.rule}`);
  await db.transaction(async (tx) => {
    await requireQuota(tx, { accountId, ...testWebhookQuota });
    await recordUse(tx, { accountId, ...testWebhookQuota });
  });
  const nowSeconds = await databaseSeconds(db);
  // Told from the id of a real call by its beginning, and in no list of ours.
  const id = `msg_test_${randomBytes(12).toString('hex')}`;
  const body = JSON.stringify(samplePayload({ publicUrl: services.publicUrl(), nowSeconds }));
  const secrets = await webhookSecrets(db, accountId);
  const result = await sendWebhook(egress.post, {
    delivery: { id, url, body },
    secrets,
    nowSeconds,
  });
  const response: TestWebhookResponse = {
    id,
    body,
    answer_status: result.responseStatus,
    answer_body: result.responseBody,
    error: result.error,
    duration_ms: result.durationMs,
  };
  return { body: response };
}

/** As a real completion call, field by field (Spec 6.2); its task does not exist. */
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

export async function postReplayFailed(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId } = await getAccount(lifecycle.db, request.params.id!);
  const { since } = parseBody(ReplayFailedRequest, request.body);
  const { actor } = request;
  const sinceDate = parseTimestamp(String(since))!;
  const replayed = await replayFailed(lifecycle, { accountId, since: sinceDate, actor });
  return { status: 202, body: { replayed } satisfies ReplayFailedResponse };
}
