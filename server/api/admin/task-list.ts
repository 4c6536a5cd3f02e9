/** What the task endpoints of people share: filters, lists, one task, and deliveries. */
import {
  type AdminTask,
  ListAccountTasksQuery,
  ListAllTasksQuery,
} from '@vidgen/contract/admin-tasks.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { findKeys } from '../../accounts/keys/api-key.ts';
import type { Queryable } from '../../database/database.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { findTaskPage } from '../../lifecycle/upkeep/search-tasks.ts';
import { previewNames } from '../../providers/preview/preview.ts';
import { findNextAttemptTimes } from '../../queue/backlog.ts';
import { findTasksAt } from '../../tasks/find-attempts.ts';
import { isTaskSearch, type TaskSearch } from '../../tasks/search-tasks.ts';
import type { Task } from '../../tasks/task.ts';
import { isTaskId } from '../../tasks/task-id.ts';
import { type DeliveryFilter, listDeliveries } from '../../webhooks/list-deliveries.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { countSearch, readInSlot } from '../http/page-slots.ts';
import { invalidCursor, parseQuery } from '../http/parse-request.ts';
import { filterSeconds } from '../v1/tasks.ts';
import { adminTaskView, deliveryView } from './views.ts';

export async function accountTasksResponse(
  services: ApiServices,
  { request, accountId }: { request: ApiRequest; accountId: string },
): Promise<ApiResponse> {
  const query = parseQuery(ListAccountTasksQuery, request.query);
  return await taskListResponse(services, request, { ...taskFilterOf(query), accountId });
}

export async function allTasksResponse(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const query = parseQuery(ListAllTasksQuery, request.query);
  const filter = await allTasksFilterOf(services.lifecycle.db, query);
  return await taskListResponse(services, request, filter);
}

/** Reads one row more than `limit`, to know whether there is a next page. */
async function taskListResponse(
  services: ApiServices,
  request: ApiRequest,
  filter: TaskSearch,
): Promise<ApiResponse> {
  const { lifecycle } = services;
  const { accountId, beforeId } = filter;
  if (beforeId !== undefined && !isTaskId(beforeId)) throw invalidCursor();
  const searcher = isTaskSearch(filter) ? countSearch(services, request) : undefined;
  const found = await readInSlot({ accountId, searcher }, () =>
    findTaskPage(lifecycle.db, { ...filter, limit: filter.limit + 1 }),
  );
  const tasks = found.slice(0, filter.limit);
  const items = await adminTaskViews(lifecycle, tasks);
  const nextCursor = found.length > filter.limit ? (tasks.at(-1)?.id ?? null) : null;
  return { body: { items, next_cursor: nextCursor } };
}

export async function adminTaskViews(
  { db, resultUrl }: LifecycleContext,
  tasks: readonly Task[],
): Promise<AdminTask[]> {
  const taskIds = tasks.map(({ id }) => id);
  const previewed = await findTasksAt(db, { taskIds, providers: previewNames });
  return tasks.map((task) => adminTaskView(task, { resultUrl, isPreview: previewed.has(task.id) }));
}

/** The index of a key is that of its account. */
export async function allTasksFilterOf(
  db: Queryable,
  { account_id, provider, ...query }: ListAllTasksQuery,
): Promise<TaskSearch> {
  const filter = taskFilterOf(query);
  const keys = filter.keyId === undefined ? [] : await findKeys(db, [filter.keyId]);
  const accountId = account_id?.toLowerCase() ?? keys[0]?.accountId;
  return { ...filter, provider, accountId };
}

export function taskFilterOf(query: ListAccountTasksQuery): TaskSearch {
  const { mode, status, model, limit } = query;
  return {
    search: query.q,
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
