/** Validates a one-time link before the page below asks for any input. */
import { Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { LinkResponse } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { LinkButton } from '../components/links.tsx';
import { useDelayed } from '../components/skeletons.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { linkToken } from './use-complete-sign-in.ts';

export function LinkGate({
  children,
}: {
  children(link: LinkResponse, token: string): ReactNode;
}): ReactNode {
  const token = linkToken();
  const { data, error, isPending } = useQuery({
    queryKey: ['link', token],
    queryFn: () => post<LinkResponse>('/links/look', { token }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isLate = useDelayed(isPending && token !== '');
  if (data) return children(data, token);
  if (isPending && token !== '') {
    return (
      <AuthLayout title="Checking your link…">
        {isLate ? <Loader aria-label="Loading" /> : null}
      </AuthLayout>
    );
  }
  // Only then a new link helps; a deactivated person needs an invite.
  const isGone = !error || (error instanceof ApiError && error.code === 'not_found');
  return (
    <AuthLayout title="This link isn’t valid">
      <Stack gap="md">
        {isGone ? (
          <Text fz="sm">
            Links can be used once and expire. Ask the person who sent it for a new one.
          </Text>
        ) : null}
        {error ? (
          <ErrorNotice error={error} title={isGone ? 'Details' : 'Couldn’t open the link'} />
        ) : null}
        <LinkButton to="/sign-in" variant="default">
          Sign in instead
        </LinkButton>
      </Stack>
    </AuthLayout>
  );
}
