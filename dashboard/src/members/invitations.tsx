/** The open invitations of an account, with a button to revoke each. */
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Invitation, ListInvitationsResponse } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { del, get } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { NoMatches } from '../components/no-matches.tsx';
import { SearchInput } from '../components/search-input.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { ActionList, ActionRow } from './action-list.tsx';
import { roles } from './roles.ts';

/** Fewer are found at a glance. */
const unsearchedMax = 5;

export function Invitations({ accountId }: { readonly accountId: string }): ReactNode {
  const [search, setSearch] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: keys.accountPart(accountId, 'invitations'),
    queryFn: () => get<ListInvitationsResponse>(`/admin/accounts/${accountId}/invitations`),
  });
  if (error) {
    return <ErrorNotice error={error} title="Couldn’t load invites" retry={refetch} />;
  }
  if (!data || data.items.length === 0) return null;
  const found = data.items.filter((invitation) =>
    textOf(invitation).includes(search.toLowerCase()),
  );
  return (
    <ActionList
      title="Pending invites"
      actions={
        data.items.length > unsearchedMax ? (
          <SearchInput
            label="Search invites"
            placeholder="Email, role or inviter"
            value={search}
            onChange={(text) => setSearch(text ?? '')}
          />
        ) : null
      }
    >
      {found.map((invitation) => (
        <OpenInvitation key={invitation.id} accountId={accountId} invitation={invitation} />
      ))}
      {found.length > 0 ? null : <NoMatches things="invites" clear={() => setSearch('')} />}
    </ActionList>
  );
}

/** The service lists all of them at once. */
const textOf = ({ email, role, invited_by }: Invitation): string =>
  `${email ?? ''} ${roleNameOf(role)} ${invited_by}`.toLowerCase();

const roleNameOf = (role: Invitation['role']): string =>
  role ? roles[role].name : 'Administrator';

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
      title={`${invitation.email ?? 'Invite link'} · ${roleNameOf(invitation.role)}`}
      details={details}
      action={revoke}
      actionName="Revoke invite"
      errorTitle="Couldn’t revoke the invite"
    />
  );
}
