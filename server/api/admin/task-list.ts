/** What the task endpoints of people share: filters, lists, one task, and deliveries. */
import { type AdminTask, ListAccountTasksQuery } from '@vidgen/contract/admin-tasks.ts';
import { ApiError } from '../../api-error.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { previewNames } from '../../providers/preview/preview.ts';
import { findNextAttemptTimes } from '../../queue/backlog.ts';
import { findTasksAt } from '../../tasks/find-attempts.ts';
import type { Task } from '../../tasks/task.ts';
import type { TaskFilter } from '../../tasks/task-list.ts';
import { type DeliveryFilter, listDeliveries } from '../../webhooks/list-deliveries.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { invalidCursor, parseQuery } from '../http/parse-request.ts';
import { filterSeconds, taskPage } from '../v1/task-page.ts';
import { adminTaskView, deliveryView } from './views.ts';

/** Of all accounts without `accountId`. */
export async function taskListResponse(
  services: ApiServices,
  { request, accountId }: { request: ApiRequest; accountId?: string },
): Promise<ApiResponse> {
  const query = parseQuery(ListAccountTasksQuery, request.query);
  const page = await taskPage(services, { ...taskFilterOf(query), accountId });
  const items = await adminTaskViews(services.lifecycle, page.tasks);
  return { body: { items, next_cursor: page.nextCursor } };
}

export async function adminTaskViews(
  { db, resultUrl }: LifecycleContext,
  tasks: readonly Task[],
): Promise<AdminTask[]> {
  const taskIds = tasks.map(({ id }) => id);
  const previewed = await findTasksAt(db, { taskIds, providers: previewNames });
  return tasks.map((task) => adminTaskView(task, { resultUrl, isPreview: previewed.has(task.id) }));
}

export function taskFilterOf(query: ListAccountTasksQuery): TaskFilter {
  const { mode, status, model, limit } = query;
  return {
    mode,
    status,
    model,
    billingStatus: query.billing_status,
    refundPending: query.refund === 'waiting',
    failedReason: query.failed_reason,
    keyId: query.key_id,
    createdAfter: filterSeconds(query.created_after),
    createdBefore: filterSeconds(query.created_before),
    beforeId: query.cursor,
    limit,
  };
}

/** The task that `:id` names, of any account. */
export async function findTask(services: ApiServices, request: ApiRequest): Promise<Task> {
  const task = await services.tasks.find(request.params.id!);
  if (task) return task;
  throw new ApiError('not_found', 'No task found with this ID.');
}

export async function listDeliveryViews({ db }: LifecycleContext, filter: DeliveryFilter) {
  const { cursor } = filter;
  if (cursor !== undefined && !/^msg_[0-9a-v]{26}$/.test(cursor)) throw invalidCursor();
  const page = await listDeliveries(db, filter);
  const due = await findNextAttemptTimes(
    db,
    page.items.map(({ id }) => id),
  );
  const items = page.items.map((delivery) => deliveryView(delivery, due.get(delivery.id) ?? null));
  return { items, next_cursor: page.nextCursor };
}
