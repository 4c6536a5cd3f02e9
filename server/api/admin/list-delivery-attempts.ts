/** Lists the attempts of a webhook delivery, newest first. */
import { ListAttemptsQuery, ListAttemptsResponse } from '@vidgen/contract/admin-tasks.ts';
import { getDelivery } from '../../webhooks/delivery.ts';
import { listAttemptPage } from '../../webhooks/list-deliveries.ts';
import { endpoint } from '../http/endpoint.ts';
import { invalidCursor, parseQuery } from '../http/parse-request.ts';
import { delivery, listDescription } from './samples.ts';
import { deliveryAttemptView } from './views.ts';

export const listDeliveryAttempts = endpoint({
  parsesItself: true,
  operationId: 'listDeliveryAttempts',
  method: 'GET',
  path: '/admin/deliveries/:id/attempts',
  summary: 'List attempts of a delivery',
  auth: 'member',
  role: 'viewer',
  query: ListAttemptsQuery,
  responses: { 200: listDescription(ListAttemptsResponse, delivery.attempts[0]!) },
  async handler({ lifecycle: { db } }, { params, query }) {
    const { cursor, limit } = parseQuery(ListAttemptsQuery, query);
    if (cursor !== undefined && !/^[1-9]\d{0,8}$/.test(cursor)) throw invalidCursor();
    const { id: deliveryId } = await getDelivery(db, params.id!);
    const before = cursor === undefined ? null : Number(cursor);
    const { items, nextCursor } = await listAttemptPage(db, { deliveryId, before, limit });
    return { body: { items: items.map(deliveryAttemptView), next_cursor: nextCursor } };
  },
});
