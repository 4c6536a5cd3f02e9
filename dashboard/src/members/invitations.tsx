/** The open invitations of an account, with a button to revoke each. */
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Invitation, ListInvitationsResponse } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { del, get } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { ActionList, ActionRow } from './action-list.tsx';
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
    <ActionList title="Pending invites">
      {data.items.map((invitation) => (
        <OpenInvitation key={invitation.id} accountId={accountId} invitation={invitation} />
      ))}
    </ActionList>
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
  const details = (
    <>
      Invited by {invitation.invited_by} <Timestamp at={invitation.created_at} /> · Expires{' '}
      <Timestamp at={invitation.expires_at} />
    </>
  );
  return (
    <ActionRow
      title={
        (invitation.email === null ? '' : `${invitation.email} · `) +
        (invitation.role ? roles[invitation.role].name : 'Administrator')
      }
      details={details}
      action={revoke}
      actionName="Revoke invite"
      errorTitle="Couldn’t revoke the invite"
    />
  );
}
