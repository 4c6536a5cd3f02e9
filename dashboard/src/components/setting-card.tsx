/** Buttons that open a dialog, alone or beside a setting that the dialog changes. */
import { Button, type ButtonProps, Card, Group, Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Label } from './texts.tsx';
import { type DialogName, useUrlDialog } from './url-dialog.ts';

/** The content of the dialog starts anew each time it opens. */
export function DialogButton(props: {
  readonly label: string;
  /** A URL can open the dialog by this name. */
  readonly urlName?: DialogName;
  /** The title of the dialog; the label by default. */
  readonly title?: string;
  readonly button?: ButtonProps;
  readonly modal?: Pick<ModalProps, 'size' | 'closeOnClickOutside'>;
  children(close: () => void): ReactNode;
}): ReactNode {
  const { label, urlName, title = label, button, modal, children } = props;
  const state = useState(false);
  const urlState = useUrlDialog(urlName);
  const [isOpen, setOpen] = urlName === undefined ? state : urlState;
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Modal {...modal} opened={isOpen} onClose={() => setOpen(false)} title={title}>
        {children(() => setOpen(false))}
      </Modal>
    </>
  );
}

export function SettingCard(props: {
  readonly title: string;
  readonly value: ReactNode;
  /** The label of the button; null if the person may not change the setting here. */
  readonly action?: string | null;
  readonly dialogTitle?: string;
  readonly isDisabled?: boolean;
  /** Further buttons. */
  readonly actions?: ReactNode;
  /** The form of the dialog. */
  children?(close: () => void): ReactNode;
}): ReactNode {
  const { action, dialogTitle = props.title, isDisabled: disabled = false, children } = props;
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" gap="sm">
        <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          <Label>{props.title}</Label>
          {props.value}
        </div>
        <Group gap="xs">
          {props.actions}
          {!action || !children ? null : (
            <DialogButton
              label={action}
              title={dialogTitle}
              button={{ variant: 'default', size: 'xs', disabled }}
            >
              {children}
            </DialogButton>
          )}
        </Group>
      </Group>
    </Card>
  );
}
