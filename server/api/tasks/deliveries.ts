/** Webhook deliveries of an account: list, replay and test them. */
import { randomBytes } from 'node:crypto';
import {
  type DeliveryAttempt as DeliveryAttemptView,
  Delivery as DeliveryView,
  ListAttemptsQuery,
  ListAttemptsResponse,
  ListDeliveriesQuery,
  ListDeliveriesResponse,
  type ListedDelivery,
  ReplayFailedRequest,
  ReplayFailedResponse,
  TestWebhookRequest,
  TestWebhookResponse,
} from '@vidgen/contract/admin-tasks.ts';
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { parseTimestamp } from '@vidgen/contract/list.ts';
import type { CompletionPayload } from '@vidgen/contract/webhook-payload.ts';
import { getAccount, webhookSecrets } from '../../accounts/account.ts';
import { databaseSeconds } from '../../database/database-clock.ts';
import { cursorOf } from '../../database/page.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { replay, replayFailed } from '../../lifecycle/settle/follow-ups.ts';
import { findNextAttemptTimes } from '../../queue/backlog.ts';
import { recordUse, requireQuota } from '../../rate-limits/account-quota.ts';
import { newTaskId } from '../../tasks/task-id.ts';
import { findPrompts } from '../../tasks/task-list.ts';
import { getDelivery } from '../../webhooks/delivery.ts';
import * as deliveries from '../../webhooks/list-deliveries.ts';
import { sendWebhook, webhookHeaders } from '../../webhooks/send.ts';
import { type CsvColumn, fieldColumns } from '../http/csv.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { ApiRequest } from '../http/handler.ts';
import { fileListDescription, listDescription, listResponse } from '../http/list-response.ts';
import { accountId, completionPayload, createdAt, taskId } from '../http/samples.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';

const headersSample = {
  ...webhookHeaders,
  'webhook-id': 'msg_01kbgq5c2m7h4n9p6q3r8s1t5v',
  'webhook-timestamp': String(createdAt),
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

export const deliverySample = {
  id: 'msg_01kbgq5c2m7h4n9p6q3r8s1t5v',
  account_id: accountId,
  task_id: taskId,
  mode: 'live',
  url: 'https://hooks.example.com/vidgen',
  body: JSON.stringify(completionPayload),
  status: 'delivered',
  attempts_made: 1,
  created_at: createdAt,
  delivered_at: createdAt + 1,
  next_attempt_at: null,
  attempts: [
    {
      number: 1,
      round: 1,
      started_at: createdAt,
      duration_ms: 312,
      answer_status: 200,
      answer_body: 'ok',
      error: null,
      request_headers: headersSample,
    },
  ],
};

const listDeliveries = endpoint({
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/admin/accounts/:id/deliveries',
  summary: 'List webhook deliveries',
  description: 'Each with its latest attempts.',
  auth: 'member',
  role: 'viewer',
  query: ListDeliveriesQuery,
  responses: {
    200: fileListDescription(ListDeliveriesResponse, {
      ...deliverySample,
      prompt: 'A paper boat crosses a sunlit lake.',
    }),
  },
  errors: { rate_limited: true },
  async handler(services, request) {
    const { lifecycle } = services;
    const { db } = lifecycle;
    const { id: accountId, name: accountName } = await getAccount(db, request.params.id!);
    const { task_id: taskId, status, mode } = request.query;
    const filter = { accountId, taskId, status, mode };
    return await listResponse(services, request, {
      columns,
      contentName: 'webhooks',
      accountName,
      list: (counting, limit) => deliveries.listDeliveries(counting, { ...filter, limit }),
      async read(page) {
        const wanted = { ...filter, ...page, role: request.role };
        const { items, next_cursor: nextCursor } = await listDeliveryViews(lifecycle, wanted);
        const taskIds = items.map((item) => item.task_id);
        const prompts = await findPrompts(db, taskIds);
        const promptOf = (id: string) => prompts.get(id) ?? null;
        const prompted = items.map((item) => ({ ...item, prompt: promptOf(item.task_id) }));
        return { items: prompted, nextCursor };
      },
    });
  },
});

const columns: readonly CsvColumn<ListedDelivery>[] = [
  ...fieldColumns('id', 'created_at', 'mode', 'status', 'task_id', 'url'),
  ['attempts', ({ attempts_made }) => attempts_made],
  ...fieldColumns('delivered_at'),
  ['last_status', ({ attempts }) => attempts.at(-1)?.answer_status ?? null],
  ['last_error', ({ attempts }) => attempts.at(-1)?.error ?? null],
  ...fieldColumns('body'),
];

const listDeliveryAttempts = endpoint({
  operationId: 'listDeliveryAttempts',
  method: 'GET',
  path: '/admin/deliveries/:id/attempts',
  summary: 'List attempts of a delivery',
  auth: 'member',
  role: 'viewer',
  query: ListAttemptsQuery,
  responses: { 200: listDescription(ListAttemptsResponse, deliverySample.attempts[0]!) },
  async handler({ lifecycle: { db } }, { params, query, role }) {
    const cursor = cursorOf(query, /^[1-9]\d{0,8}$/);
    const { id: deliveryId } = await getDelivery(db, params.id!);
    const { items, nextCursor } = await deliveries.listAttemptPage(db, {
      deliveryId,
      before: cursor === null ? null : Number(cursor),
      limit: query.limit,
    });
    const views = items.map((attempt) => deliveryAttemptView(attempt, role));
    return { body: { items: views, next_cursor: nextCursor } };
  },
});

const pending = { ...deliverySample, status: 'pending', delivered_at: null, attempts: [] };

const replayDelivery = endpoint({
  operationId: 'replayDelivery',
  method: 'POST',
  path: '/admin/deliveries/:id/replay',
  summary: 'Replay a webhook',
  description:
    'Sends the same body and `webhook-id` again, with the full schedule of retries. At most 60 ' +
    'replays per hour and account.',
  auth: 'member',
  role: 'developer',
  responses: {
    202: jsonResponse('The delivery, pending again.', DeliveryView, {
      pending: ['Pending again', pending],
    }),
  },
  errors: { rate_limited: true },
  async handler({ lifecycle }, { params, actor, transaction, role }) {
    const { accountId, taskId } = await replay(transaction, { deliveryId: params.id!, actor });
    // A task has one delivery.
    const { items } = await listDeliveryViews(lifecycle, { accountId, taskId, limit: 1, role });
    return { status: 202, body: items[0] };
  },
});

const replayFailedDeliveries = endpoint({
  operationId: 'replayFailedDeliveries',
  method: 'POST',
  path: '/admin/accounts/:id/deliveries/replay',
  summary: 'Replay failed webhooks',
  description:
    'For when a receiver was down: replays the oldest 1,000 failed deliveries that are not older ' +
    'than `since`, with the same bodies and IDs and the full schedule of retries. Counts as one ' +
    'of 60 replays per hour.',
  auth: 'member',
  role: 'developer',
  body: ReplayFailedRequest,
  requestExamples: { since: ['Since this morning', { since: '2026-01-01T06:00:00Z' }] },
  responses: {
    202: jsonResponse('How many.', ReplayFailedResponse, { some: ['Twelve', { replayed: 12 }] }),
  },
  errors: { rate_limited: true },
  async handler({ lifecycle }, { params, body, actor, transaction }) {
    const { id: accountId } = await getAccount(lifecycle.db, params.id!);
    const since = parseTimestamp(String(body.since))!;
    const { mode } = body;
    const replayed = await replayFailed(transaction, { accountId, since, mode, actor });
    return { status: 202, body: { replayed } satisfies ReplayFailedResponse };
  },
});

/** Enough for a person, too few for a program that uses the service to call other hosts. */
const testWebhookQuota = {
  purpose: 'test calls',
  limit: 10,
  windowSeconds: 60,
  label: '10 test webhooks per minute and account',
} as const;

const testSample = {
  id: 'msg_test_3f2a9c1b7d5e8f604a2b9c1d',
  request_headers: { ...headersSample, 'webhook-id': 'msg_test_3f2a9c1b7d5e8f604a2b9c1d' },
  body: JSON.stringify(completionPayload),
};

const sendTestWebhook = endpoint({
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
    200: jsonResponse('What was sent, and what came back.', TestWebhookResponse, {
      taken: [
        'Taken',
        { ...testSample, answer_status: 200, answer_body: 'ok', error: null, duration_ms: 84 },
      ],
      unreached: [
        'Nobody there',
        {
          ...testSample,
          answer_status: null,
          answer_body: null,
          error: 'connect',
          duration_ms: 12,
        },
      ],
    }),
  },
  errors: { invalid_request: 'url must start with https://', rate_limited: true },
  async handler({ lifecycle: { db, egress }, publicUrl }, request) {
    const { id: accountId } = await getAccount(db, request.params.id!);
    const { url } = request.body;
    const checked = egress.check(url, 'callback');
    if (!checked.ok) throw invalidRequest(`url ${checked.rule}`);
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
      request_headers: { ...webhookHeaders, 'webhook-id': id, ...result.signedHeaders },
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

export async function listDeliveryViews(
  { db }: LifecycleContext,
  { role, ...filter }: deliveries.DeliveryFilter & Pick<ApiRequest, 'role'>,
) {
  const page = await deliveries.listDeliveries(db, filter);
  const deliveryIds = page.items.map(({ id }) => id);
  const due = await findNextAttemptTimes(db, deliveryIds);
  const items = page.items.map((delivery) =>
    deliveryView(delivery, { nextAttemptAt: due.get(delivery.id) ?? null, role }),
  );
  return { items, next_cursor: page.nextCursor };
}

function deliveryView(
  delivery: deliveries.DeliveryPage['items'][number],
  { nextAttemptAt, role }: Pick<ApiRequest, 'role'> & { readonly nextAttemptAt: Date | null },
): DeliveryView {
  return {
    id: delivery.id,
    account_id: delivery.accountId,
    task_id: delivery.taskId,
    mode: delivery.mode,
    url: delivery.url,
    body: delivery.body,
    status: delivery.status,
    attempts_made: delivery.attemptsMade,
    created_at: unixSeconds(delivery.createdAt),
    delivered_at: unixSecondsOrNull(delivery.deliveredAt),
    next_attempt_at: unixSecondsOrNull(nextAttemptAt),
    attempts: delivery.attempts.toReversed().map((attempt) => deliveryAttemptView(attempt, role)),
  };
}

const deliveryAttemptView = (
  attempt: deliveries.DeliveryAttempt,
  role: ApiRequest['role'],
): DeliveryAttemptView => ({
  number: attempt.number,
  round: attempt.round,
  started_at: unixSeconds(attempt.startedAt),
  duration_ms: attempt.durationMs,
  answer_status: attempt.responseStatus,
  answer_body: attempt.responseBody,
  error: attempt.error,
  request_headers: requestHeaders(attempt, role),
});

/** A viewer must not be able to send a webhook that receivers accept. */
function requestHeaders(
  { deliveryId, signedHeaders }: deliveries.DeliveryAttempt,
  role: ApiRequest['role'],
) {
  if (signedHeaders === null) return null;
  const { 'webhook-signature': signature, ...others } = signedHeaders;
  const shown = { ...webhookHeaders, 'webhook-id': deliveryId, ...others };
  return role === 'viewer' || !signature ? shown : { ...shown, 'webhook-signature': signature };
}

export const deliveryEndpoints = [listDeliveries, listDeliveryAttempts, replayDelivery];
export const webhookToolEndpoints = [sendTestWebhook, replayFailedDeliveries];
