/** A one-time link, shown once, to hand to the person it is for. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { CreatedInvitation } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { Code } from '../components/code.tsx';
import { Timestamp } from '../components/timestamp.tsx';

export function LinkDialog(props: {
  readonly invitation: CreatedInvitation | null;
  onClose(): void;
}): ReactNode {
  const { invitation, onClose } = props;
  return (
    <Modal
      opened={invitation !== null}
      onClose={onClose}
      title="Hand over this link"
      size="lg"
      closeOnClickOutside={false}
    >
      {invitation ? (
        <Stack gap="md">
          <Text fz="sm">
            It is shown this once, works once, and ends <Timestamp at={invitation.expires_at} />.
          </Text>
          <Code code={invitation.link} language="bash" label="link" wrap />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have copied it</Button>
          </Group>
        </Stack>
      ) : null}
    </Modal>
  );
}
