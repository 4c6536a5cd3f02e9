/** What the playground asks the service, and how often. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AdminTaskDetail, ListAccountTasksAnswer } from '@vidgen/contract/admin-tasks.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { ModelsAnswer } from '@vidgen/contract/models-answer.ts';
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import type { TaskStatus } from '@vidgen/contract/task-status.ts';
import { ApiError } from '../api/api-error.ts';
import { get, post } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import type { GenerationForm } from './generation-form.ts';
import { estimateRequestOf } from './generation-request.ts';

const runningLookMs = 1000;
const historyLookMs = 10_000;
const historyItems = 8;

export const isFinal = (status: TaskStatus): boolean =>
  status === 'completed' || status === 'failed';

export const modelsQuery = queryOptions({
  queryKey: keys.models,
  queryFn: () => get<ModelsAnswer>('/admin/models'),
  staleTime: 60_000,
});

/** Asked for again and again until the task is final. */
export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: keys.task(id),
    queryFn: () => get<AdminTaskDetail>(`/admin/tasks/${id}`),
    refetchInterval: ({ state: { data, error } }) => {
      const isDeclined = error instanceof ApiError && error.status >= 400 && error.status < 500;
      return isDeclined || (data !== undefined && isFinal(data.status)) ? false : runningLookMs;
    },
  });

/** The price of before stays until the new one is there: nothing flickers. */
export function estimateQuery(
  account: { readonly id: string; readonly mode: KeyMode },
  form: GenerationForm,
) {
  const { id, mode } = account;
  const request = estimateRequestOf(form);
  const path = `/admin/accounts/${id}/generations/estimate?mode=${mode}`;
  return queryOptions({
    queryKey: keys.accountPart(id, 'estimate', mode, request),
    queryFn: () => post<PlaygroundEstimate>(path, request),
    placeholderData: keepPreviousData,
  });
}

export function historyQuery({ id, mode }: { readonly id: string; readonly mode: KeyMode }) {
  const query = { mode, limit: historyItems };
  return queryOptions({
    queryKey: keys.accountPart(id, 'tasks', 'history', mode),
    queryFn: () => get<ListAccountTasksAnswer>(`/admin/accounts/${id}/tasks`, query),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ status }) => !isFinal(status)) ? 2 * runningLookMs : historyLookMs,
    placeholderData: keepPreviousData,
  });
}
