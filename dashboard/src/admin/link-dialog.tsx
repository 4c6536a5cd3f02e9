/** The dialog that shows a new one-time link. */
import { Modal } from '@mantine/core';
import type { CreatedInvitation } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { OneTimeLink } from '../members/one-time-link.tsx';

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
