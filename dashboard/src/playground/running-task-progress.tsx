/** The progress of a running task, with the typical time of such tasks. */
import { useQuery } from '@tanstack/react-query';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { formOfRequest } from './generation-request.ts';
import { estimateQuery } from './playground-queries.ts';
import { TaskProgress } from './task-progress.tsx';

export function RunningTaskProgress({ task }: { readonly task: AdminTaskDetail }): ReactNode {
  const { account_id: id, mode } = task;
  const { data } = useQuery({
    ...estimateQuery({ id, mode }, formOfRequest(task.request)),
    // The typical time hardly changes while the task runs.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <TaskProgress task={task} typical={data?.time ?? null} />;
}
