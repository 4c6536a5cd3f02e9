/** Shows a new one-time link, to be given to one person. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { CreatedInvitation } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import { Timestamp } from '../components/timestamp.tsx';

export function OneTimeLink({
  invitation,
  onDone,
}: {
  readonly invitation: CreatedInvitation;
  onDone(): void;
}): ReactNode {
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
