/**
 * Returns a task with everything that happened to it. Members see when it was tried and with what
 * result; only administrators see at which provider.
 */
import assert from 'node:assert/strict';
import { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { findKeys } from '../../accounts/keys/api-key.ts';
import { listTaskEntries } from '../../ledger/entries.ts';
import { listAttempts } from '../../tasks/find-attempts.ts';
import { endpoint } from '../http/endpoint.ts';
import { adminTask, taskHistory } from './samples.ts';
import { findTask, listDeliveryViews } from './task-list.ts';
import { taskDetailView } from './views.ts';

export const getAnyTask = endpoint({
  operationId: 'getAnyTask',
  method: 'GET',
  path: '/admin/tasks/:id',
  summary: 'Get a task of any account',
  description: 'With every attempt made for it at a provider.',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: {
      description: 'The task.',
      schema: AdminTaskDetail,
      examples: {
        completed: ['Completed at the first attempt', { ...adminTask, ...taskHistory }],
      },
    },
  },
  async handler(services, request) {
    const { lifecycle } = services;
    const { db, resultUrl } = lifecycle;
    const task = await findTask(services, request);
    const [[key], attempts, entries, deliveries] = await Promise.all([
      findKeys(db, [task.keyId]),
      listAttempts(db, task.id),
      listTaskEntries(db, task.id),
      listDeliveryViews(lifecycle, { accountId: task.accountId, taskId: task.id, limit: 1 }),
    ]);
    assert(key, 'a task has a key');
    const history = { key, attempts, entries, delivery: deliveries.items[0] ?? null };
    return { body: taskDetailView(task, history, { resultUrl, isAdmin: request.isAdmin }) };
  },
});
