/** Sends all webhooks of an account again whose retries were exhausted since a time. */
import { parseTimestamp } from '@vidgen/contract/list.ts';
import { ReplayFailedRequest, ReplayFailedResponse } from '@vidgen/contract/webhook-tools.ts';
import { getAccount } from '../../accounts/account.ts';
import { replayFailed } from '../../lifecycle/settle/follow-ups.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';

export const replayFailedDeliveries = endpoint({
  parsesItself: true,
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
    202: {
      description: 'How many.',
      schema: ReplayFailedResponse,
      examples: { some: ['Twelve', { replayed: 12 }] },
    },
  },
  errors: { rate_limited: true },
  async handler({ lifecycle }, { params, body, actor, transaction }) {
    const { id: accountId } = await getAccount(lifecycle.db, params.id!);
    const since = parseTimestamp(String(parseBody(ReplayFailedRequest, body).since))!;
    const replayed = await replayFailed(transaction, { accountId, since, actor });
    return { status: 202, body: { replayed } satisfies ReplayFailedResponse };
  },
});
