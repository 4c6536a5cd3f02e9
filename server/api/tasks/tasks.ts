/** Tasks of any account: read, cancel and delete them, and resolve failed refunds. */
import assert from 'node:assert/strict';
import {
  AdminTask,
  AdminTaskDetail,
  SettleRefundRequest,
  StoryResponse,
} from '@vidgen/contract/admin-tasks.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { findKeys } from '../../accounts/keys/api-key.ts';
import type { Transaction } from '../../database/database.ts';
import { listTaskEntries } from '../../ledger/entries.ts';
import { cancel } from '../../lifecycle/cancel.ts';
import { resolveFailedRefund } from '../../lifecycle/settle/settle-refund.ts';
import { findCreditMicros } from '../../tasks/credit-values.ts';
import { listAttempts } from '../../tasks/find-attempts.ts';
import { findStory } from '../../tasks/task-list.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { taskId } from '../http/samples.ts';
import { deleteFor } from '../v1/tasks.ts';
import { listDeliveryViews } from './deliveries.ts';
import {
  adminTaskViews,
  failedSample,
  findTask,
  historySample,
  taskDetailView,
  taskSample,
} from './task-view.ts';

const getAnyTask = endpoint({
  operationId: 'getAnyTask',
  method: 'GET',
  path: '/admin/tasks/:id',
  summary: 'Get a task of any account',
  description: 'With every attempt made for it at a provider.',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: jsonResponse('The task.', AdminTaskDetail, {
      completed: ['Completed at the first attempt', { ...taskSample, ...historySample }],
    }),
  },
  async handler(services, request) {
    const { lifecycle } = services;
    const { db } = lifecycle;
    const task = await findTask(services, request);
    const [[key], attempts, entries, deliveries, creditMicros] = await Promise.all([
      findKeys(db, [task.keyId]),
      listAttempts(db, task.id),
      listTaskEntries(db, task.id),
      listDeliveryViews(lifecycle, {
        accountId: task.accountId,
        taskId: task.id,
        limit: 1,
        role: request.role,
      }),
      task.finishedAt && findCreditMicros(db, task.finishedAt),
    ]);
    assert(key, 'a task has a key');
    const delivery = deliveries.items[0] ?? null;
    const history = { key, attempts, entries, delivery, creditMicros };
    return { body: taskDetailView(task, history, { ...lifecycle, isAdmin: request.isAdmin }) };
  },
});

const getStory = endpoint({
  operationId: 'getStory',
  method: 'GET',
  path: '/admin/tasks/:id/story',
  summary: 'Get the shots of a story',
  description:
    'A shot names the shots before it in its metadata: `continues` has their IDs in order, ' +
    'separated by spaces. Of several continuations of a shot, the newest that has not failed is ' +
    'part of the story.',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: jsonResponse('The task with the shots before and after it.', StoryResponse, {
      single: ['Not continued yet', { shots: [{ id: taskSample.id, task: taskSample }] }],
    }),
  },
  async handler(services, request) {
    const { lifecycle } = services;
    const story = await findStory(lifecycle.db, await findTask(services, request));
    const tasks = story.flatMap(({ task }) => task ?? []);
    const views = await adminTaskViews(lifecycle, tasks);
    const shots = story.map(({ id }) => ({ id, task: views.find((one) => one.id === id) ?? null }));
    return { body: { shots } };
  },
});

const alreadyCompleted =
  'Task task_01kbwq3n7he9rv5t2m8xz4c6da is already completed; only tasks in progress can be ' +
  'canceled.';
const cancelledSample = failedSample('cancelled', {
  billingStatus: 'refunded',
  refundOutcome: null,
});

export const cancelAnyTask = endpoint({
  operationId: 'cancelAnyTask',
  method: 'POST',
  path: '/admin/tasks/:id/cancel',
  summary: 'Cancel a task of any account',
  description: 'Follows the rules of `POST /v1/tasks/{id}/cancel`.',
  auth: 'member',
  role: 'developer',
  responses: {
    200: jsonResponse('The cancelled task.', AdminTask, {
      cancelled: ['Cancelled', cancelledSample],
    }),
  },
  errors: { invalid_request: alreadyCompleted },
  async handler(services, request) {
    const { lifecycle } = services;
    const { actor, reauthorize } = request;
    const task = await findTask(services, request);
    const writeAudit = (tx: Transaction) =>
      recordAudit(tx, {
        actor,
        action: 'task.cancel',
        subject: task.id,
        accountId: task.accountId,
      });
    const cancelled = await cancel(lifecycle, task, { reauthorize, writeAudit });
    const [body] = await adminTaskViews(lifecycle, [cancelled]);
    return { body };
  },
});

const deleteAnyTask = endpoint({
  operationId: 'deleteAnyTask',
  method: 'DELETE',
  path: '/admin/tasks/:id',
  summary: 'Delete a task of any account',
  description: 'Follows the rules of `DELETE /v1/tasks/{id}`.',
  auth: 'member',
  role: 'developer',
  responses: { 204: { description: 'The task is deleted.' } },
  errors: {
    invalid_request: 'The refund of this task is not resolved yet; delete the task after that.',
  },
  async handler(services, request) {
    await deleteFor(services, request, await findTask(services, request));
    return { status: 204 };
  },
});

const refunded = { billingStatus: 'refunded', refundOutcome: 'refunded' } as const;
const writtenOff = { billingStatus: 'refund_failed', refundOutcome: 'written_off' } as const;

export const settleRefund = endpoint({
  operationId: 'settleRefund',
  method: 'POST',
  path: '/admin/tasks/:id/settle-refund',
  summary: 'Resolve a failed refund',
  description:
    'For tasks whose `billing_status` is `refund_failed`. This is the only ledger entry that a ' +
    'closed account accepts.',
  auth: 'admin',
  requiresConfirmation: true,
  body: SettleRefundRequest,
  requestExamples: {
    refunded: ['Give the credits back', { outcome: 'refunded', note: 'Agreed by phone' }],
    written_off: ['Leave it at that', { outcome: 'written_off', note: 'Account closed for abuse' }],
  },
  responses: {
    200: jsonResponse('The task, settled.', AdminTask, {
      refunded: ['Refunded', failedSample('timed_out', refunded)],
      written_off: ['Written off', failedSample('timed_out', writtenOff)],
    }),
  },
  errors: {
    invalid_request: `Task ${taskId} is charged; only failed refunds can be settled.`,
  },
  async handler(services, request) {
    const { lifecycle } = services;
    const { outcome, note } = request.body;
    const task = await findTask(services, request);
    const settlement = { task, outcome, note, actor: request.actor };
    const settled = await resolveFailedRefund(request.transaction, settlement);
    if (outcome === 'refunded') {
      lifecycle.measurements.countCredits('release', task.mode, task.credits);
    }
    const [body] = await adminTaskViews(lifecycle, [settled]);
    return { body };
  },
});

export const taskEndpoints = [getAnyTask, getStory, cancelAnyTask, deleteAnyTask, settleRefund];
