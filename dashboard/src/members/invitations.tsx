/** The open invitations of an account, with a button to revoke each. */
import { Alert, Button, Group, Modal, Paper, Radio, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type {
  AccountRole,
  CreatedInvitation,
  Invitation,
  ListInvitationsResponse,
} from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { del, get, post } from '../api/client.ts';
import { invalidate, keys } from '../api/query-client.ts';
import type { AccountScope } from '../api/session.ts';
import { NoMatches } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SearchInput } from '../components/filters.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { roles } from '../components/value-labels.ts';
import { InviteEmailInput, OneTimeLink } from './one-time-link.tsx';

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
    onSettled: () => invalidate(keys.accountPart(accountId, 'invitations')),
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

/** A titled list whose rows have a button each, and the failure of that button's request. */
export function ActionList({
  title,
  description,
  actions,
  children,
}: {
  readonly title: string;
  readonly description?: string;
  /** Next to the title, such as a search. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Stack gap="sm" mt="xl">
      <Group justify="space-between" gap="sm">
        <div>
          <Title order={2}>{title}</Title>
          {description ? (
            <Text fz="sm" c="dimmed">
              {description}
            </Text>
          ) : null}
        </div>
        {actions}
      </Group>
      <Paper withBorder p="md">
        <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {children}
        </Stack>
      </Paper>
    </Stack>
  );
}

export function ActionRow({
  title,
  details,
  action,
  actionName,
  actionLabel,
  errorTitle,
}: {
  readonly title: string;
  readonly details: ReactNode;
  readonly action: { readonly isPending: boolean; readonly error: Error | null; mutate(): void };
  readonly actionName: string;
  /** For screen readers, where the name alone does not say what the action changes. */
  readonly actionLabel?: string;
  readonly errorTitle: string;
}): ReactNode {
  return (
    <Group component="li" justify="space-between" gap="sm">
      <div>
        <Text fz="sm" fw={500}>
          {title}
        </Text>
        <Text fz="xs" c="dimmed">
          {details}
        </Text>
      </div>
      <Button
        size="xs"
        variant="default"
        loading={action.isPending}
        onClick={() => action.mutate()}
        aria-label={actionLabel}
      >
        {actionName}
      </Button>
      {action.error ? <ErrorNotice error={action.error} title={errorTitle} /> : null}
    </Group>
  );
}

type Props = { readonly account: AccountScope; readonly opened: boolean; onClose(): void };

/**
 * Creates an invitation. A click outside does not close the dialog, because the link is shown once.
 */
export function InviteDialog({ account, opened, onClose }: Props): ReactNode {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={false}
      title={`Invite to ${account.name}`}
    >
      <InviteForm account={account} onClose={onClose} />
    </Modal>
  );
}

function InviteForm({ account, onClose }: Pick<Props, 'account' | 'onClose'>): ReactNode {
  const [role, setRole] = useState<AccountRole>('developer');
  const [email, setEmail] = useState('');
  const invite = useMutation({
    mutationFn: () =>
      post<CreatedInvitation>(`/admin/accounts/${account.id}/invitations`, {
        role,
        ...(email.trim() === '' ? {} : { email: email.trim() }),
      }),
    onSuccess: () => invalidate(keys.accountPart(account.id, 'invitations')),
  });
  if (invite.data) return <OneTimeLink invitation={invite.data} onDone={onClose} />;
  return (
    <Stack gap="md">
      <InviteEmailInput value={email} onChange={setEmail} />
      <Radio.Group label="Role" value={role} onChange={(value) => setRole(value as AccountRole)}>
        <Stack gap="sm" mt="xs">
          {Object.entries(roles).map(([value, { name, description }]) => (
            <Radio key={value} value={value} label={name} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      {role === 'owner' ? (
        <Alert color="yellow" variant="light">
          <Text fz="sm">Owners can spend credits, remove members and invite other owners.</Text>
        </Alert>
      ) : null}
      {invite.error ? (
        <ErrorNotice error={invite.error} title="Couldn’t create the invite" />
      ) : null}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={() => invite.mutate()} loading={invite.isPending}>
          {email.trim() === '' ? 'Create invite link' : 'Send invite'}
        </Button>
      </Group>
    </Stack>
  );
}
