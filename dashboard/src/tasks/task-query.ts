/** A task, polled while it or its webhook can still change. */
import { queryOptions } from '@tanstack/react-query';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';

const runningRefetchMs = 1500;
const deliveriesRefetchMs = 5000;

export const liveTaskQuery = (id: string) =>
  queryOptions({
    queryKey: keys.task(id),
    queryFn: () => get<AdminTaskDetail>(`/admin/tasks/${id}`),
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : refetchMs(data)),
  });

function refetchMs({ finished_at, delivery }: AdminTaskDetail): number | false {
  if (finished_at === null) return runningRefetchMs;
  return delivery?.status === 'pending' ? deliveriesRefetchMs : false;
}
