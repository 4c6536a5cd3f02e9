/** A task on its way: the bar, and an ETA by how long tasks like it took. */
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
    // How long it takes does not change while one looks at the bar.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <TaskProgress task={task} typical={data?.time ?? null} />;
}
