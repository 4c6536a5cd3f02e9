/** One page of a task list, for the lists of keys and of people. */

import { findTaskPage } from '../../lifecycle/upkeep/search-tasks.ts';
import type { Task } from '../../tasks/task.ts';
import { isTaskId } from '../../tasks/task-id.ts';
import { listTasks, type TaskFilter } from '../../tasks/task-list.ts';
import type { ApiServices } from '../http/handler.ts';
import { readInSlot } from '../http/page-slots.ts';
import { invalidCursor } from '../http/parse-request.ts';

export const filterSeconds = (at: Date | undefined): number | undefined =>
  at === undefined ? undefined : at.getTime() / 1000;

/** Reads one row more than `limit`, to know whether there is a next page. */
export async function taskPage(
  { lifecycle }: ApiServices,
  filter: TaskFilter,
): Promise<{ tasks: Task[]; nextCursor: string | null }> {
  if (filter.beforeId !== undefined && !isTaskId(filter.beforeId)) throw invalidCursor();
  const { accountId, status, model, metadata } = filter;
  const page = { ...filter, limit: filter.limit + 1 };
  // An index serves all others, without a transaction.
  const isFiltered = (status ?? model ?? metadata) !== undefined;
  const found = isFiltered
    ? await readInSlot({ accountId }, () => findTaskPage(lifecycle.db, page))
    : await listTasks(lifecycle.db, page);
  const tasks = found.slice(0, filter.limit);
  return { tasks, nextCursor: found.length > filter.limit ? (tasks.at(-1)?.id ?? null) : null };
}
