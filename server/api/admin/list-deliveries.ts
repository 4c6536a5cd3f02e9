/** Lists the webhook deliveries of an account, each with its newest attempts. */
import { ListDeliveriesQuery, ListDeliveriesResponse } from '@vidgen/contract/admin-tasks.ts';
import { getAccount } from '../../accounts/account.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { delivery, listDescription } from './samples.ts';
import { listDeliveryViews } from './task-list.ts';

export const listDeliveries = endpoint({
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/admin/accounts/:id/deliveries',
  summary: 'List webhook deliveries',
  description: 'Each with its latest attempts.',
  auth: 'member',
  role: 'viewer',
  query: ListDeliveriesQuery,
  responses: { 200: listDescription(ListDeliveriesResponse, delivery) },
  async handler({ lifecycle }, request) {
    const { id: accountId } = await getAccount(lifecycle.db, request.params.id!);
    const { task_id: taskId, ...query } = parseQuery(ListDeliveriesQuery, request.query);
    return { body: await listDeliveryViews(lifecycle, { ...query, accountId, taskId }) };
  },
});
