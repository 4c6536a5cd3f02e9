/** The queries of the playground. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { InstalledModelsResponse } from '@vidgen/contract/admin-models.ts';
import type { AdminTaskDetail, ListAccountTasksResponse } from '@vidgen/contract/admin-tasks.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import type { TaskStatus } from '@vidgen/contract/task-status.ts';
import { ApiError } from '../api/api-error.ts';
import { get, pathKey, post, resource } from '../api/client.ts';
import { idleRefetchMs } from '../api/cursor-list.ts';
import type { GenerationForm } from './generation-form.ts';
import { estimateRequestOf } from './generation-request.ts';

const runningRefetchMs = 1000;
const deliveryRefetchMs = 5000;
const historyMax = 8;

export const isFinal = (status: TaskStatus): boolean =>
  status === 'completed' || status === 'failed';

export const modelsQuery = {
  ...resource<InstalledModelsResponse>('/admin/models'),
  staleTime: 60_000,
};

/** At the prices of the account. Loaded again with the models of the installation. */
export const accountModelsQuery = (id: string) =>
  queryOptions({
    queryKey: [...pathKey('/admin/models'), { account: id }],
    queryFn: () => get<InstalledModelsResponse>(`/admin/accounts/${id}/models`),
    staleTime: 60_000,
  });

/** Polls while the task or its webhook can still change. */
export const taskQuery = (id: string) =>
  queryOptions({
    ...resource<AdminTaskDetail>(`/admin/tasks/${id}`),
    refetchInterval: ({ state: { data, error } }) => {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) return false;
      if (data === undefined || !isFinal(data.status)) return runningRefetchMs;
      return data.delivery?.status === 'pending' ? deliveryRefetchMs : false;
    },
  });

/** Keeps the previous estimate until the next one arrives, to avoid flicker. */
export function estimateQuery(
  account: { readonly id: string; readonly mode: KeyMode },
  form: GenerationForm,
) {
  const { id, mode } = account;
  const request = estimateRequestOf(form);
  const path = `/admin/accounts/${id}/generations/estimate?mode=${mode}`;
  return queryOptions({
    queryKey: [...pathKey(`/admin/accounts/${id}/generations/estimate`), mode, request],
    queryFn: () => post<PlaygroundEstimate>(path, request),
    placeholderData: keepPreviousData,
  });
}

export function historyQuery({ id, mode }: { readonly id: string; readonly mode: KeyMode }) {
  const query = { mode, limit: historyMax };
  return queryOptions({
    ...resource<ListAccountTasksResponse>(`/admin/accounts/${id}/tasks`, query),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ status }) => !isFinal(status)) ? 2 * runningRefetchMs : idleRefetchMs,
  });
}
