/** Wraps every page of an account: shows whether it exists, is closed or suspended. */
import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ApiError } from '../api/api-error.ts';
import { accountQuery, useSession } from '../api/session.ts';
import { Timestamp } from '../components/text.tsx';
import { NotFound } from './route-error.tsx';

const SuspendedAlert = lazy(async () => ({
  default: (await import('../admin/suspend-account.tsx')).SuspendedAlert,
}));

export function AccountLayout() {
  const { account: id } = useParams({ from: '/signed-in/accounts/$account' });
  const { person } = useSession();
  const { data: account, error } = useQuery(accountQuery(id));
  // The service returns 404 to people who are not members.
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  return (
    <>
      {account && account.closed_at !== null ? (
        <Alert color="gray" mb="lg" title="This account is closed">
          Closed <Timestamp at={account.closed_at} />. API keys no longer work. Tasks and credit
          history are still available.
        </Alert>
      ) : null}
      {account && account.closed_at === null && account.suspended_at !== null ? (
        person.administrator ? (
          <Suspense>
            <SuspendedAlert account={account} />
          </Suspense>
        ) : (
          <Alert color="orange" mb="lg" title="This account is suspended">
            Suspended <Timestamp at={account.suspended_at} />. API keys don’t work and you can’t
            create videos. Running tasks finish, and you can view and download everything. Ask the
            administrator of this service to resume the account.
          </Alert>
        )
      ) : null}
      <Outlet />
    </>
  );
}
