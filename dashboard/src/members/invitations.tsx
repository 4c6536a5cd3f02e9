/** The open invitations of an account, with a button to revoke each. */
import { Alert, Button, Group, Paper, Radio, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type {
  AccountRole,
  CreatedInvitation,
  Invitation,
  ListInvitationsResponse,
} from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { del, post } from '../api/client.ts';
import { invalidate, resource } from '../api/query-client.ts';
import type { AccountScope } from '../api/session.ts';
import { ErrorNotice, Loaded } from '../components/error-notice.tsx';
import { Form } from '../components/form.tsx';
import { Label, SmallNote } from '../components/texts.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { useAsyncAction } from '../components/use-async-action.ts';
import { roles } from '../components/value-labels.ts';
import { InviteEmailInput, OneTimeLink } from './one-time-link.tsx';

export function Invitations({ accountId }: { readonly accountId: string }): ReactNode {
  const query = useQuery(
    resource<ListInvitationsResponse>(`/admin/accounts/${accountId}/invitations`),
  );
  return (
    <Loaded query={query} what="invites">
      {({ items }) =>
        items.length === 0 ? null : (
          <Stack gap="sm" mt="xl">
            <Title order={2}>Pending invites</Title>
            <Paper withBorder p="md">
              <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
                {items.map((invitation) => (
                  <OpenInvitation
                    key={invitation.id}
                    accountId={accountId}
                    invitation={invitation}
                  />
                ))}
              </Stack>
            </Paper>
          </Stack>
        )
      }
    </Loaded>
  );
}

const roleName = (role: Invitation['role']): string => (role ? roles[role].name : 'Administrator');

function OpenInvitation(props: {
  readonly accountId: string;
  readonly invitation: Invitation;
}): ReactNode {
  const { accountId, invitation } = props;
  const revoke = useMutation({
    mutationFn: () => del(`/admin/accounts/${accountId}/invitations/${invitation.id}`),
    onSuccess: () => toast('Invite revoked'),
    onSettled: () => invalidate(`/admin/accounts/${accountId}/invitations`),
  });
  return (
    <Group component="li" justify="space-between" gap="sm">
      <div>
        <Label>{`${invitation.email ?? 'Invite link'} · ${roleName(invitation.role)}`}</Label>
        <SmallNote>
          Invited by {invitation.invited_by} <Timestamp at={invitation.created_at} /> · Expires{' '}
          <Timestamp at={invitation.expires_at} />
        </SmallNote>
      </div>
      <Button
        size="xs"
        variant="default"
        loading={revoke.isPending}
        onClick={() => revoke.mutate()}
      >
        Revoke invite
      </Button>
      <ErrorNotice error={revoke.error} title="Couldn’t revoke the invite" />
    </Group>
  );
}

/** Creates an invitation, and shows its link once. */
export function InviteForm(props: { readonly account: AccountScope; onClose(): void }): ReactNode {
  const { account, onClose } = props;
  const [role, setRole] = useState<AccountRole>('developer');
  const [email, setEmail] = useState('');
  const [created, setCreated] = useState<CreatedInvitation | null>(null);
  const invite = useAsyncAction(async () => {
    const optionalEmail = email.trim() === '' ? {} : { email: email.trim() };
    const body = { role, ...optionalEmail };
    setCreated(await post<CreatedInvitation>(`/admin/accounts/${account.id}/invitations`, body));
    await invalidate(`/admin/accounts/${account.id}/invitations`);
  });
  if (created) return <OneTimeLink invitation={created} onDone={onClose} />;
  return (
    <Form
      submit={invite}
      action={email.trim() === '' ? 'Create invite link' : 'Send invite'}
      errorTitle="Couldn’t create the invite"
      onCancel={onClose}
    >
      <InviteEmailInput value={email} onChange={setEmail} />
      <Radio.Group label="Role" value={role} onChange={(value) => setRole(value as AccountRole)}>
        <Stack gap="sm" mt="xs">
          {Object.entries(roles).map(([value, { name, description }]) => (
            <Radio key={value} value={value} label={name} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      {role === 'owner' ? (
        <Alert color="yellow">
          <Text fz="sm">Owners can spend credits, remove members and invite other owners.</Text>
        </Alert>
      ) : null}
    </Form>
  );
}
