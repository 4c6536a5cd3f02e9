/** Sends a webhook again, with the same body and id and the whole schedule of retries. */
import { Delivery } from '@vidgen/contract/admin-tasks.ts';
import { replay } from '../../lifecycle/settle/follow-ups.ts';
import { endpoint } from '../http/endpoint.ts';
import { delivery } from './samples.ts';
import { listDeliveryViews } from './task-list.ts';

const pending = { ...delivery, status: 'pending', delivered_at: null, attempts: [] };

export const replayDelivery = endpoint({
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
