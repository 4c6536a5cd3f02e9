/** Shows a new one-time link, to be given to one person. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { CreatedInvitation } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { useSession } from '../api/session.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { Timestamp } from '../components/timestamp.tsx';

export function OneTimeLink(props: {
  readonly invitation: CreatedInvitation;
  onDone(): void;
}): ReactNode {
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
export function InviteEmailInput(props: {
  readonly value: string;
  onChange(value: string): void;
}): ReactNode {
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
}): ReactNode {
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
