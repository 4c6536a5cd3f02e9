/** One page of a task list, for the lists of keys and of people. */

import type { Task } from '../../tasks/task.ts';
import { isTaskId } from '../../tasks/task-id.ts';
import { listTasks, type TaskFilter } from '../../tasks/task-list.ts';
import type { ApiServices } from '../http/handler.ts';
import { invalidCursor } from '../http/parse-request.ts';

export const filterSeconds = (at: Date | undefined): number | undefined =>
  at === undefined ? undefined : at.getTime() / 1000;

/** Reads one row more than `limit`, to know whether there is a next page. */
export async function taskPage(
  { lifecycle }: ApiServices,
  filter: TaskFilter,
): Promise<{ tasks: Task[]; nextCursor: string | null }> {
  if (filter.beforeId !== undefined && !isTaskId(filter.beforeId)) throw invalidCursor();
  const found = await listTasks(lifecycle.db, { ...filter, limit: filter.limit + 1 });
  const tasks = found.slice(0, filter.limit);
  return { tasks, nextCursor: found.length > filter.limit ? (tasks.at(-1)?.id ?? null) : null };
}
