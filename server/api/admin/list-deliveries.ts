/** Lists the webhook deliveries of an account, each with its newest attempts. */
import { ListDeliveriesQuery, ListDeliveriesResponse } from '@vidgen/contract/admin-tasks.ts';
import { getAccount } from '../../accounts/account.ts';
import { findPrompts } from '../../tasks/task-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { adminTask, delivery, listDescription } from './samples.ts';
import { listDeliveryViews } from './task-list.ts';

export const listDeliveries = endpoint({
  parsesItself: true,
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/admin/accounts/:id/deliveries',
  summary: 'List webhook deliveries',
  description: 'Each with its latest attempts.',
  auth: 'member',
  role: 'viewer',
  query: ListDeliveriesQuery,
  responses: {
    200: listDescription(ListDeliveriesResponse, { ...delivery, prompt: adminTask.prompt }),
  },
  async handler({ lifecycle }, request) {
    const { id: accountId } = await getAccount(lifecycle.db, request.params.id!);
    const { task_id: taskId, ...query } = parseQuery(ListDeliveriesQuery, request.query);
    const page = await listDeliveryViews(lifecycle, { ...query, accountId, taskId });
    const prompts = await findPrompts(
      lifecycle.db,
      page.items.map((item) => item.task_id),
    );
    const items = page.items.map((item) => ({
      ...item,
      prompt: prompts.get(item.task_id) ?? null,
    }));
    return { body: { ...page, items } };
  },
});
