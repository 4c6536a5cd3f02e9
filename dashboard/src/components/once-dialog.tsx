/**
 * A dialog that creates a secret and shows it once. While the secret is shown, only its button
 * closes the dialog.
 */
import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';

export function OnceDialog<Secret extends object>(props: {
  readonly opened: boolean;
  onClose(): void;
  readonly title: string;
  /** The form that creates it. */
  form(show: (secret: Secret) => void): ReactNode;
  /** The title while the secret is shown. */
  readonly shownTitle: string;
  readonly warning: string;
  /** The label of the button, such as "I’ve saved it". */
  readonly done: string;
  children(secret: Secret): ReactNode;
}): ReactNode {
  const { opened, onClose, title, form, shownTitle, warning, done, children } = props;
  const [secret, show] = useState<Secret | null>(null);
  const isForm = secret === null;
  const close = () => {
    show(null);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={isForm ? title : shownTitle}
      size="lg"
      closeOnClickOutside={isForm}
      closeOnEscape={isForm}
      withCloseButton={isForm}
    >
      {isForm ? (
        form(show)
      ) : (
        <Stack gap="md">
          <Alert color="yellow" icon={<ExclamationTriangleIcon aria-hidden />}>
            {warning}
          </Alert>
          {children(secret)}
          <Group justify="flex-end">
            <Button onClick={close}>{done}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
