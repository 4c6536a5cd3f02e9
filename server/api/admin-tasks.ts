/** Operators: tasks, refunds that wait for a person, webhook deliveries, the audit and its log. */
import { ListAuditLogQuery } from '@vidgen/contract/admin-audit.ts';
import {
  ListAccountTasksQuery,
  ListDeliveriesQuery,
  SettleRefundRequest,
} from '@vidgen/contract/admin-tasks.ts';
import { getAccount } from '../accounts/account.ts';
import { listActions, recordAction } from '../accounts/operator-actions.ts';
import { audit } from '../ledger/audit.ts';
import { cancel } from '../lifecycle/cancel.ts';
import type { Lifecycle } from '../lifecycle/context.ts';
import { replay } from '../lifecycle/replay.ts';
import { settleRefundByHand } from '../lifecycle/settle-refund.ts';
import { dueTimes } from '../queue/queue.ts';
import { Refusal } from '../refusal.ts';
import type { TaskFilter } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';
import { type DeliveryFilter, listDeliveries } from '../webhooks/delivery.ts';
import { adminTaskView, deliveryView } from './admin-views.ts';
import { checkedBody, checkedQuery, foreignCursor } from './check-request.ts';
import { secondsOf, taskPage } from './list-tasks.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function getAccountTasks(service: Service, asked: Asked): Promise<Answer> {
  const { id: accountId } = await getAccount(service.lifecycle.db, asked.params.id!);
  return await tasksAnswer(service, { asked, accountId });
}

/** All accounts'; with `refund=waiting` it is the queue for manual handling (Spec 3.2). */
export async function getAllTasks(service: Service, asked: Asked): Promise<Answer> {
  return await tasksAnswer(service, { asked });
}

async function tasksAnswer(
  service: Service,
  { asked, accountId }: { asked: Asked; accountId?: string },
): Promise<Answer> {
  const query = checkedQuery(ListAccountTasksQuery, asked.query);
  const page = await taskPage(service, { ...filterOf(query), accountId });
  const items = page.tasks.map((task) => adminTaskView(task, service.lifecycle.addressOf));
  return { body: { items, next_cursor: page.nextCursor } };
}

export function filterOf(query: ListAccountTasksQuery): TaskFilter {
  const { mode, status, model, limit } = query;
  return {
    mode,
    status,
    model,
    billingStatus: query.billing_status,
    refundWaits: query.refund === 'waiting',
    failedReason: query.failed_reason,
    keyId: query.key_id,
    createdAfter: secondsOf(query.created_after),
    createdBefore: secondsOf(query.created_before),
    beforeId: query.cursor,
    limit,
  };
}

export async function postAdminCancel(service: Service, asked: Asked): Promise<Answer> {
  const { lifecycle } = service;
  const task = await findTask(service, asked);
  const cancelled = await cancel(lifecycle, task, {
    record: (tx) =>
      recordAction(tx, { actor: asked.actor, action: 'task.cancel', subject: task.id }),
  });
  return { body: adminTaskView(cancelled, lifecycle.addressOf) };
}

export async function postSettleRefund(service: Service, asked: Asked): Promise<Answer> {
  const { lifecycle } = service;
  const { outcome, note } = checkedBody(SettleRefundRequest, asked.body);
  const task = await findTask(service, asked);
  const settled = await settleRefundByHand(lifecycle, { task, outcome, note, actor: asked.actor });
  return { body: adminTaskView(settled, lifecycle.addressOf) };
}

export async function getDeliveries({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { id: accountId } = await getAccount(lifecycle.db, asked.params.id!);
  const { task_id: taskId, ...query } = checkedQuery(ListDeliveriesQuery, asked.query);
  return { body: await deliveriesShown(lifecycle, { ...query, accountId, taskId }) };
}

export async function postReplay({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { accountId, taskId } = await replay(lifecycle, {
    deliveryId: asked.params.id!,
    actor: asked.actor,
  });
  // A task has one delivery.
  const { items } = await deliveriesShown(lifecycle, { accountId, taskId, limit: 1 });
  return { status: 202, body: items[0] };
}

export async function deliveriesShown({ db }: Lifecycle, filter: DeliveryFilter) {
  const { cursor } = filter;
  if (cursor !== undefined && !/^msg_[0-9a-v]{26}$/.test(cursor)) throw foreignCursor();
  const page = await listDeliveries(db, filter);
  const due = await dueTimes(
    db,
    page.items.map(({ id }) => id),
  );
  const items = page.items.map((delivery) => deliveryView(delivery, due.get(delivery.id) ?? null));
  return { items, next_cursor: page.nextCursor };
}

export async function getAudit({ lifecycle }: Service, _asked: Asked): Promise<Answer> {
  return { body: await audit(lifecycle.db) };
}

export async function getAuditLog({ lifecycle }: Service, { query }: Asked): Promise<Answer> {
  const { subject, ...page } = checkedQuery(ListAuditLogQuery, query);
  const { items, nextCursor } = await listActions(lifecycle.db, { ...page, subject });
  const shown = items.map(({ at, ...action }) => ({
    ...action,
    created_at: Math.floor(at.getTime() / 1000),
  }));
  return { body: { items: shown, next_cursor: nextCursor } };
}

export async function findTask(service: Service, asked: Asked): Promise<Task> {
  const task = await service.tasks.find(asked.params.id!);
  if (task) return task;
  throw new Refusal('not_found', 'There is no task with this id.');
}
