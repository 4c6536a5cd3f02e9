/** Sends a webhook again, with the same body and id and the whole schedule of retries. */
import { Delivery } from '@vidgen/contract/admin-tasks.ts';
import { replay } from '../../lifecycle/replay.ts';
import { endpoint } from '../http/endpoint.ts';
import { delivery } from './samples.ts';
import { listDeliveryViews } from './task-list.ts';

const pending = { ...delivery, status: 'pending', delivered_at: null, attempts: [] };

export const replayDelivery = endpoint({
  operationId: 'replayDelivery',
  method: 'POST',
  path: '/admin/deliveries/:id/replay',
  summary: 'Make a webhook call again',
  description:
    'The same body and `webhook-id`; the schedule of retries starts from the beginning. 60 ' +
    'replays an hour an account.',
  auth: 'member',
  role: 'developer',
  responses: {
    202: {
      description: 'The delivery, pending again.',
      schema: Delivery,
      examples: { pending: ['Pending again', pending] },
    },
  },
  errors: { rate_limited: true },
  async handler({ lifecycle }, { params, actor, transaction }) {
    const { accountId, taskId } = await replay(transaction, { deliveryId: params.id!, actor });
    // A task has one delivery.
    const { items } = await listDeliveryViews(lifecycle, { accountId, taskId, limit: 1 });
    return { status: 202, body: items[0] };
  },
});
