/** The search parameters of a task's page. */
import type { SearchSchemaInput } from '@tanstack/react-router';

export const taskParts = ['timeline', 'request', 'json'] as const;
export type TaskPart = (typeof taskParts)[number];
type TaskSearch = { readonly part?: TaskPart };

export function taskSearch(search: Partial<TaskSearch> & SearchSchemaInput): TaskSearch {
  const part = taskParts.find((one) => one === search.part);
  return part && part !== 'timeline' ? { part } : {};
}
