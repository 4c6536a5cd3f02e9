/** The start page: redirects to the account that was open last. */
import { Text } from '@mantine/core';
import { PersonIcon } from '@radix-ui/react-icons';
import { Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAccountId, useSession } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';

export function StartPage(): ReactNode {
  const account = useAccountId();
  const { person } = useSession();
  if (account !== null) return <Navigate to="/accounts/$account" params={{ account }} replace />;
  if (person.administrator) return <Navigate to="/operator/accounts" replace />;
  return (
    <>
      <PageHeader title="Home" />
      <EmptyState icon={<PersonIcon />} title="You don’t have an account yet">
        <Text c="dimmed" fz="sm" ta="center">
          Ask an account owner or an administrator to invite you.
        </Text>
      </EmptyState>
    </>
  );
}
