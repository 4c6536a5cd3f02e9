/** `GET /v1/tasks` (extension): the account's tasks in the key's own mode, newest first. */
import assert from 'node:assert/strict';
import { ListTasksQuery } from '@vidgen/contract/list-tasks.ts';
import { listTasks, type TaskFilter } from '../../tasks/store.ts';
import type { Task } from '../../tasks/task.ts';
import { isTaskId } from '../../tasks/task-id.ts';
import { taskStatusView } from '../../tasks/view.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { invalidCursor, parseQuery } from '../http/parse-request.ts';

export async function listOwnTasks(
  services: ApiServices,
  { query, identity }: ApiRequest,
): Promise<ApiResponse> {
  assert(identity);
  const { created_after, created_before, cursor, ...filter } = parseQuery(ListTasksQuery, query);
  const page = await taskPage(services, {
    ...filter,
    accountId: identity.accountId,
    mode: identity.mode,
    createdAfter: secondsOf(created_after),
    createdBefore: secondsOf(created_before),
    beforeId: cursor,
  });
  const items = page.tasks.map((task) => taskStatusView(task, services.lifecycle.resultUrl));
  return { body: { items, next_cursor: page.nextCursor } };
}

export const secondsOf = (at: Date | undefined): number | undefined =>
  at === undefined ? undefined : at.getTime() / 1000;

/** One row more than was asked for tells whether there is a next page. */
export async function taskPage(
  { lifecycle }: ApiServices,
  filter: TaskFilter,
): Promise<{ tasks: Task[]; nextCursor: string | null }> {
  if (filter.beforeId !== undefined && !isTaskId(filter.beforeId)) throw invalidCursor();
  const found = await listTasks(lifecycle.db, { ...filter, limit: filter.limit + 1 });
  const tasks = found.slice(0, filter.limit);
  return { tasks, nextCursor: found.length > filter.limit ? (tasks.at(-1)?.id ?? null) : null };
}
