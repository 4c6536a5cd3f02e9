/**
 * For whoever builds a receiver: a call to try it with, and everything that was given up, again. A
 * test call goes through the same guard and carries the same signature as a real one.
 */
import { randomBytes } from 'node:crypto';
import { momentOf } from '@vidgen/contract/list.ts';
import type { CompletionCall } from '@vidgen/contract/webhook-call.ts';
import {
  type ReplayFailedAnswer,
  ReplayFailedRequest,
  type TestCallAnswer,
  TestCallRequest,
} from '@vidgen/contract/webhook-tools.ts';
import { getAccount, webhookSecrets } from '../accounts/account.ts';
import { databaseSeconds } from '../database/database-clock.ts';
import { replayFailed } from '../lifecycle/replay.ts';
import { requirePlace, takePlace } from '../rate-limits/account-window.ts';
import { Refusal } from '../refusal.ts';
import { newTaskId } from '../tasks/task-id.ts';
import { makeCall } from '../webhooks/call.ts';
import { checkedBody } from './check-request.ts';
import type { Answer, Asked, Service } from './service.ts';

/** A person tries again and again; a program that uses us to call others does not get far. */
const testCalls = {
  purpose: 'test calls',
  limit: 10,
  windowSeconds: 60,
  words: '10 test calls a minute',
} as const;

export async function postTestCall(service: Service, asked: Asked): Promise<Answer> {
  const { db, egress } = service.lifecycle;
  const { id: accountId } = await getAccount(db, asked.params.id!);
  const { url } = checkedBody(TestCallRequest, asked.body);
  const checked = egress.check(url, 'callback');
  if (!checked.ok) throw new Refusal('invalid_request', `url ${checked.rule}`);
  await db.transaction(async (tx) => {
    await requirePlace(tx, { accountId, ...testCalls });
    await takePlace(tx, { accountId, ...testCalls });
  });
  const nowSeconds = await databaseSeconds(db);
  // Told from the id of a real call by its beginning, and in no list of ours.
  const id = `msg_test_${randomBytes(12).toString('hex')}`;
  const body = JSON.stringify(sampleCall({ publicUrl: service.publicUrl(), nowSeconds }));
  const secrets = await webhookSecrets(db, accountId);
  const made = await makeCall(egress.post, { delivery: { id, url, body }, secrets, nowSeconds });
  const answer: TestCallAnswer = {
    id,
    body,
    answer_status: made.answerStatus,
    answer_body: made.answerBody,
    error: made.error,
    duration_ms: made.durationMs,
  };
  return { body: answer };
}

/** As a real completion call, field by field (Spec 6.2); its task does not exist. */
function sampleCall(about: { publicUrl: string; nowSeconds: number }): CompletionCall {
  const { publicUrl, nowSeconds } = about;
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

export async function postReplayFailed({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { id: accountId } = await getAccount(lifecycle.db, asked.params.id!);
  const { since } = checkedBody(ReplayFailedRequest, asked.body);
  const { actor } = asked;
  const from = momentOf(String(since))!;
  const replayed = await replayFailed(lifecycle, { accountId, since: from, actor });
  return { status: 202, body: { replayed } satisfies ReplayFailedAnswer };
}
