/** `GET /v1/tasks` (extension): the account's tasks in the key's own mode, newest first. */
import assert from 'node:assert/strict';
import { ListTasksQuery } from '@vidgen/contract/list-tasks.ts';
import { listTasks, type TaskFilter } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';
import { isTaskId } from '../tasks/task-id.ts';
import { statusAnswer } from '../tasks/view.ts';
import { checkedQuery, foreignCursor } from './check-request.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function listOwnTasks(service: Service, { query, identity }: Asked): Promise<Answer> {
  assert(identity);
  const { created_after, created_before, cursor, ...filter } = checkedQuery(ListTasksQuery, query);
  const page = await taskPage(service, {
    ...filter,
    accountId: identity.accountId,
    mode: identity.mode,
    createdAfter: secondsOf(created_after),
    createdBefore: secondsOf(created_before),
    beforeId: cursor,
  });
  const items = page.tasks.map((task) => statusAnswer(task, service.lifecycle.addressOf));
  return { body: { items, next_cursor: page.nextCursor } };
}

export const secondsOf = (at: Date | undefined): number | undefined =>
  at === undefined ? undefined : at.getTime() / 1000;

/** One row more than was asked for tells whether there is a next page. */
export async function taskPage(
  { lifecycle }: Service,
  filter: TaskFilter,
): Promise<{ tasks: Task[]; nextCursor: string | null }> {
  if (filter.beforeId !== undefined && !isTaskId(filter.beforeId)) throw foreignCursor();
  const found = await listTasks(lifecycle.db, { ...filter, limit: filter.limit + 1 });
  const tasks = found.slice(0, filter.limit);
  return { tasks, nextCursor: found.length > filter.limit ? (tasks.at(-1)?.id ?? null) : null };
}
