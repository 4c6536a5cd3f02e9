/** Around every page of an account: whether there is one, and whether it still works. */
import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { accountQuery } from '../api/session.ts';
import { Timestamp } from '../components/timestamp.tsx';
import { LowBalanceBanner } from './balance.tsx';
import { NotFound } from './not-found.tsx';

export function AccountFrame(): ReactNode {
  const { account: id } = useParams({ from: '/signed-in/accounts/$account' });
  const { data: account, error } = useQuery(accountQuery(id));
  // Somebody else's account is, to everyone but its people, none at all.
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  return (
    <>
      {account && account.closed_at !== null ? (
        <Alert color="gray" variant="light" mb="lg" title="This account is closed">
          <Text fz="sm">
            Since <Timestamp at={account.closed_at} />. Its keys no longer work; what it made and
            paid can still be looked at.
          </Text>
        </Alert>
      ) : null}
      <LowBalanceBanner />
      <Outlet />
    </>
  );
}
