/** Finds the account of a task ID and redirects to the task's page. */
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';
import { NotFound } from '../shell/not-found.tsx';

export function TaskRedirectPage(): ReactNode {
  const { task } = useParams({ from: '/signed-in/tasks/$task' });
  const { data, error, refetch } = useQuery({
    queryKey: keys.task(task),
    queryFn: () => get<AdminTaskDetail>(`/admin/tasks/${task}`),
  });
  if (data) {
    const { account_id: account, mode } = data;
    const params = { account, task };
    return (
      <Navigate to="/accounts/$account/tasks/$task" params={params} search={{ mode }} replace />
    );
  }
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (!error) return <PageSkeleton />;
  return (
    <>
      <PageHeader title="Task" />
      <ErrorNotice error={error} title="Couldn’t load the task" retry={refetch} />
    </>
  );
}
