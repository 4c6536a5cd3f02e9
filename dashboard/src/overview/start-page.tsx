/** The start page: redirects to the account that was open last. */
import { PersonIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { ApiError } from '../api/api-error.ts';
import { accountQuery, useAccountId, useSession } from '../api/session.ts';
import { Page } from '../components/page.tsx';
import { EmptyState, ErrorNotice, PageSkeleton } from '../components/states.tsx';
import { Note } from '../components/text.tsx';
import { taskQuery } from '../playground/playground-queries.ts';
import { NotFound } from '../shell/route-error.tsx';

export function StartPage() {
  const last = useAccountId();
  const { accounts, person } = useSession();
  // Administrators can have opened any account, which can be deleted by now.
  const { error, isPending } = useQuery({ ...accountQuery(last ?? ''), enabled: last !== null });
  if (last !== null && isPending) return <PageSkeleton />;
  const isGone = error instanceof ApiError && error.status === 404;
  const account = isGone ? (accounts.find(({ id }) => id !== last)?.id ?? null) : last;
  if (account !== null) return <Navigate to="/accounts/$account" params={{ account }} replace />;
  if (person.administrator) return <Navigate to="/operator/accounts" replace />;
  return (
    <Page title="Home">
      <EmptyState icon={<PersonIcon />} title="You don’t have an account yet">
        <Note ta="center">Ask an account owner or an administrator to invite you.</Note>
      </EmptyState>
    </Page>
  );
}

/** Finds the account of a task ID and redirects to the task's page. */
export function TaskRedirectPage() {
  const { task } = useParams({ from: '/signed-in/tasks/$task' });
  const { data, error, refetch } = useQuery(taskQuery(task));
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
    <Page title="Task">
      <ErrorNotice error={error} title="Couldn’t load the task" retry={refetch} />
    </Page>
  );
}
