/**
 * A button whose dialog creates a secret and shows it once. While the secret is shown, only its
 * button closes the dialog.
 */
import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { ExclamationTriangleIcon, PlusIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { type DialogName, useDialog } from './setting-card.tsx';

export function OnceButton<Secret extends object>(props: {
  readonly label: string;
  readonly isDisabled?: boolean;
  /** A URL can open the dialog by this name. */
  readonly urlName?: DialogName;
  /** The label by default. */
  readonly title?: string;
  /** The form that creates it. */
  form(show: (secret: Secret) => void, close: () => void): ReactNode;
  /** Loads the list again that it is in. */
  refresh(): unknown;
  /** The title while the secret is shown. */
  readonly shownTitle: string;
  readonly warning: string;
  /** The label of the button, such as "I’ve saved it". */
  readonly done: string;
  children(secret: Secret): ReactNode;
}) {
  const { label, isDisabled = false, title = label, form, shownTitle, warning, done } = props;
  const [isOpen, setOpen] = useDialog(props.urlName);
  const [secret, show] = useState<Secret | null>(null);
  const isForm = secret === null;
  const close = () => {
    show(null);
    setOpen(false);
  };
  return (
    <>
      <Button
        leftSection={<PlusIcon aria-hidden />}
        disabled={isDisabled}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <Modal
        opened={isOpen && !isDisabled}
        onClose={close}
        title={isForm ? title : shownTitle}
        size="lg"
        closeOnClickOutside={isForm}
        closeOnEscape={isForm}
        withCloseButton={isForm}
      >
        {isForm ? (
          form((created) => {
            show(created);
            props.refresh();
          }, close)
        ) : (
          <Stack gap="md">
            <Alert color="yellow" icon={<ExclamationTriangleIcon aria-hidden />}>
              {warning}
            </Alert>
            {props.children(secret)}
            <Group justify="flex-end">
              <Button onClick={close}>{done}</Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}
