/** Invitations of an account: the open ones, the form of a new one, and its link, shown once. */
import { Alert, Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type {
  AccountRole,
  CreatedInvitation,
  Invitation,
  ListInvitationsResponse,
} from '@vidgen/contract/people.ts';
import { useState } from 'react';
import { del, invalidate, post, resource } from '../api/client.ts';
import { useAccount, useSession } from '../api/session.ts';
import { toast, useAsyncAction } from '../components/action.ts';
import { CopyButton } from '../components/code.tsx';
import { Form } from '../components/form.tsx';
import { SectionCard } from '../components/page.tsx';
import { ActionButton } from '../components/setting-card.tsx';
import { Loaded } from '../components/states.tsx';
import { Label, SmallNote, Timestamp } from '../components/text.tsx';
import { roles } from '../components/value-labels.ts';

export function Invitations() {
  const { id } = useAccount();
  const query = useQuery(resource<ListInvitationsResponse>(`/admin/accounts/${id}/invitations`));
  return (
    <Loaded query={query} what="invites">
      {({ items }) =>
        items.length === 0 ? null : (
          <SectionCard title="Pending invites">
            <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
              {items.map((invitation) => (
                <OpenInvitation key={invitation.id} invitation={invitation} />
              ))}
            </Stack>
          </SectionCard>
        )
      }
    </Loaded>
  );
}

const roleName = (role: Invitation['role']): string => (role ? roles[role].name : 'Administrator');

function OpenInvitation({ invitation }: { readonly invitation: Invitation }) {
  const path = `/admin/accounts/${useAccount().id}/invitations`;
  const revoke = async () => {
    await del(`${path}/${invitation.id}`).finally(() => invalidate(path));
    toast('Invite revoked');
  };
  return (
    <Group component="li" justify="space-between" gap="sm">
      <div>
        <Label>{`${invitation.email ?? 'Invite link'} · ${roleName(invitation.role)}`}</Label>
        <SmallNote>
          Invited by {invitation.invited_by} <Timestamp at={invitation.created_at} /> · Expires{' '}
          <Timestamp at={invitation.expires_at} />
        </SmallNote>
      </div>
      <ActionButton label="Revoke invite" errorTitle="Couldn’t revoke the invite" run={revoke} />
    </Group>
  );
}

/** Creates an invitation, and shows its link once. */
export function InviteForm({ onClose }: { onClose(): void }) {
  const { id } = useAccount();
  const [role, setRole] = useState<AccountRole>('developer');
  const [email, setEmail] = useState('');
  const [created, setCreated] = useState<CreatedInvitation | null>(null);
  const invite = useAsyncAction(async () => {
    const optionalEmail = email.trim() === '' ? {} : { email: email.trim() };
    const body = { role, ...optionalEmail };
    setCreated(await post<CreatedInvitation>(`/admin/accounts/${id}/invitations`, body));
    await invalidate(`/admin/accounts/${id}/invitations`);
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
          Owners can spend credits, remove members and invite other owners.
        </Alert>
      ) : null}
    </Form>
  );
}

function OneTimeLink(props: { readonly invitation: CreatedInvitation; onDone(): void }) {
  const { invitation, onDone } = props;
  return (
    <Stack gap="md">
      <Text fz="sm">
        {invitation.emailed
          ? 'We’re emailing this link. You can also share it yourself.'
          : 'Send this link to the person it’s for.'}{' '}
        It works once and expires <Timestamp at={invitation.expires_at} />. You won’t see it again.
      </Text>
      <TextInput
        aria-label="Link"
        readOnly
        value={invitation.link}
        onFocus={({ currentTarget }) => currentTarget.select()}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <Group justify="space-between">
        <CopyButton value={invitation.link} label="link" text="Copy link" />
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  );
}

/** The optional email address of an invitation; nothing where the installation sends no email. */
export function InviteEmailInput(props: { readonly value: string; onChange(value: string): void }) {
  if (!useSession().sends_mail) return null;
  return (
    <TextInput
      data-autofocus
      type="email"
      label="Email"
      description="Leave empty to get a link that you share yourself."
      autoComplete="off"
      value={props.value}
      onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
    />
  );
}

/** The dialog that shows a new one-time link. */
export function LinkDialog(props: {
  readonly invitation: CreatedInvitation | null;
  onClose(): void;
}) {
  const { invitation, onClose } = props;
  return (
    <Modal
      opened={invitation !== null}
      onClose={onClose}
      title="Share this link"
      size="lg"
      closeOnClickOutside={false}
    >
      {invitation ? <OneTimeLink invitation={invitation} onDone={onClose} /> : null}
    </Modal>
  );
}
