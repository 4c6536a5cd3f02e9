/** Operators: tasks, refunds that wait for a person, webhook deliveries, the audit and its log. */
import { ListAuditLogQuery } from '@vidgen/contract/admin-audit.ts';
import {
  ListAccountTasksQuery,
  ListDeliveriesQuery,
  SettleRefundRequest,
} from '@vidgen/contract/admin-tasks.ts';
import { getAccount } from '../../accounts/account.ts';
import { listAuditEntries, recordAudit } from '../../accounts/audit-log.ts';
import { ApiError } from '../../api-error.ts';
import { checkInvariants } from '../../ledger/invariants.ts';
import { cancel } from '../../lifecycle/cancel.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { replay } from '../../lifecycle/replay.ts';
import { resolveFailedRefund } from '../../lifecycle/settle-refund.ts';
import { findNextAttemptTimes } from '../../queue/queue.ts';
import type { TaskFilter } from '../../tasks/store.ts';
import type { Task } from '../../tasks/task.ts';
import { type DeliveryFilter, listDeliveries } from '../../webhooks/delivery.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { invalidCursor, parseBody, parseQuery } from '../http/parse-request.ts';
import { filterSeconds, taskPage } from '../v1/task-page.ts';
import { adminTaskView, deliveryView } from './views.ts';

export async function getAccountTasks(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId } = await getAccount(services.lifecycle.db, request.params.id!);
  return await listTasksResponse(services, { request, accountId });
}

/** All accounts'; with `refund=waiting` it is the queue for manual handling (Spec 3.2). */
export async function getAllTasks(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  return await listTasksResponse(services, { request });
}

async function listTasksResponse(
  services: ApiServices,
  { request, accountId }: { request: ApiRequest; accountId?: string },
): Promise<ApiResponse> {
  const query = parseQuery(ListAccountTasksQuery, request.query);
  const page = await taskPage(services, { ...filterOf(query), accountId });
  const items = page.tasks.map((task) => adminTaskView(task, services.lifecycle.resultUrl));
  return { body: { items, next_cursor: page.nextCursor } };
}

export function filterOf(query: ListAccountTasksQuery): TaskFilter {
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

export async function postAdminCancel(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { lifecycle } = services;
  const task = await findTask(services, request);
  const cancelled = await cancel(lifecycle, task, {
    writeAudit: (tx) =>
      recordAudit(tx, { actor: request.actor, action: 'task.cancel', subject: task.id }),
  });
  return { body: adminTaskView(cancelled, lifecycle.resultUrl) };
}

export async function postSettleRefund(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { lifecycle } = services;
  const { outcome, note } = parseBody(SettleRefundRequest, request.body);
  const task = await findTask(services, request);
  const settled = await resolveFailedRefund(lifecycle, {
    task,
    outcome,
    note,
    actor: request.actor,
  });
  return { body: adminTaskView(settled, lifecycle.resultUrl) };
}

export async function getDeliveries(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId } = await getAccount(lifecycle.db, request.params.id!);
  const { task_id: taskId, ...query } = parseQuery(ListDeliveriesQuery, request.query);
  return { body: await listDeliveryViews(lifecycle, { ...query, accountId, taskId }) };
}

export async function postReplay(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { accountId, taskId } = await replay(lifecycle, {
    deliveryId: request.params.id!,
    actor: request.actor,
  });
  // A task has one delivery.
  const { items } = await listDeliveryViews(lifecycle, { accountId, taskId, limit: 1 });
  return { status: 202, body: items[0] };
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

export async function getAudit(
  { lifecycle }: ApiServices,
  _request: ApiRequest,
): Promise<ApiResponse> {
  return { body: await checkInvariants(lifecycle.db) };
}

export async function getAuditLog(
  { lifecycle }: ApiServices,
  { query }: ApiRequest,
): Promise<ApiResponse> {
  const { subject, ...page } = parseQuery(ListAuditLogQuery, query);
  const { items, nextCursor } = await listAuditEntries(lifecycle.db, { ...page, subject });
  const views = items.map(({ at, ...entry }) => ({
    ...entry,
    created_at: Math.floor(at.getTime() / 1000),
  }));
  return { body: { items: views, next_cursor: nextCursor } };
}

export async function findTask(services: ApiServices, request: ApiRequest): Promise<Task> {
  const task = await services.tasks.find(request.params.id!);
  if (task) return task;
  throw new ApiError('not_found', 'There is no task with this id.');
}
