/** The open invitations of an account, with a button to revoke each. */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Invitation, ListInvitationsResponse } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { del, get } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { roles } from './roles.ts';

export function Invitations({ accountId }: { readonly accountId: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: keys.accountPart(accountId, 'invitations'),
    queryFn: () => get<ListInvitationsResponse>(`/admin/accounts/${accountId}/invitations`),
  });
  if (error) {
    return <ErrorNotice error={error} title="Couldn’t load invites" retry={refetch} />;
  }
  if (!data || data.items.length === 0) return null;
  return (
    <Stack gap="sm" mt="xl">
      <Title order={2}>Pending invites</Title>
      <Paper withBorder p="md">
        <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {data.items.map((invitation) => (
            <OpenInvitation key={invitation.id} accountId={accountId} invitation={invitation} />
          ))}
        </Stack>
      </Paper>
    </Stack>
  );
}

function OpenInvitation({
  accountId,
  invitation,
}: {
  readonly accountId: string;
  readonly invitation: Invitation;
}): ReactNode {
  const revoke = useMutation({
    mutationFn: () => del(`/admin/accounts/${accountId}/invitations/${invitation.id}`),
    onSuccess: () => toast('Invite revoked'),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: keys.accountPart(accountId, 'invitations') }),
  });
  return (
    <Group component="li" justify="space-between" gap="sm">
      <div>
        <Text fz="sm" fw={500}>
          {invitation.role ? roles[invitation.role].name : 'Administrator'}
        </Text>
        <Text fz="xs" c="dimmed">
          Invited by {invitation.invited_by} <Timestamp at={invitation.created_at} /> · Expires{' '}
          <Timestamp at={invitation.expires_at} />
        </Text>
      </div>
      <Button
        size="xs"
        variant="default"
        loading={revoke.isPending}
        onClick={() => revoke.mutate()}
      >
        Revoke invite
      </Button>
      {revoke.error ? (
        <ErrorNotice error={revoke.error} title="Couldn’t revoke the invite" />
      ) : null}
    </Group>
  );
}
