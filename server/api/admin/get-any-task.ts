/**
 * `GET /admin/tasks/:id`: one task with everything that happened to it. Members of its account are
 * shown when it was tried and what came of it; which provider had it is for operators.
 */
import assert from 'node:assert/strict';
import { findKeys } from '../../accounts/api-key.ts';
import { listTaskEntries } from '../../ledger/entries.ts';
import { listAttempts } from '../../tasks/attempts.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { findTask, listDeliveryViews } from './tasks.ts';
import { taskDetailView } from './views.ts';

export async function getAdminTask(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
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
}
