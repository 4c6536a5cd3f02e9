/**
 * `GET /admin/tasks/:id`: one task with everything that happened to it. Members of its account are
 * shown when it was tried and what came of it; which provider had it is for operators.
 */
import assert from 'node:assert/strict';
import { findKeys } from '../accounts/api-key.ts';
import { listTaskEntries } from '../ledger/statement.ts';
import { listAttempts } from '../tasks/attempts.ts';
import { deliveriesShown, findTask } from './admin-tasks.ts';
import { taskDetailView } from './admin-views.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function getAdminTask(service: Service, asked: Asked): Promise<Answer> {
  const { lifecycle } = service;
  const { db, addressOf } = lifecycle;
  const task = await findTask(service, asked);
  const [[key], attempts, entries, deliveries] = await Promise.all([
    findKeys(db, [task.keyId]),
    listAttempts(db, task.id),
    listTaskEntries(db, task.id),
    deliveriesShown(lifecycle, { accountId: task.accountId, taskId: task.id, limit: 1 }),
  ]);
  assert(key, 'a task has a key');
  const story = { key, attempts, entries, delivery: deliveries.items[0] ?? null };
  return { body: taskDetailView(task, story, { addressOf, isOperator: asked.isOperator }) };
}
