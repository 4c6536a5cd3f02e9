/** Buttons that open a dialog, alone or beside a setting that the dialog changes. */
import { Button, type ButtonProps, Card, Group, Modal, type ModalProps } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAsyncAction } from './action.ts';
import { CardTitle } from './page.tsx';
import { ErrorNotice } from './states.tsx';

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
}) {
  const { label, urlName, title = label, button, modal, children } = props;
  const [isOpen, setOpen] = useDialog(urlName);
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

/** A button that runs an async action. Why it failed stands beside it, or below. */
export function ActionButton(
  props: ButtonProps & {
    readonly label: string;
    readonly errorTitle: string;
    run(): Promise<unknown>;
  },
) {
  const { label, errorTitle, run, ...button } = props;
  const action = useAsyncAction(run);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        {...button}
        loading={action.isPending}
        onClick={(event) => void action.run(event)}
      >
        {label}
      </Button>
      <ErrorNotice error={action.error} title={errorTitle} />
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
}) {
  const { action, dialogTitle = props.title, isDisabled: disabled = false, children } = props;
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" gap="sm">
        <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          <CardTitle>{props.title}</CardTitle>
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

export type DialogName = 'create-key' | 'create-account' | 'invite' | 'add-credits';

/** Whether it is open, and what opens or closes it. Without a name, no URL opens it. */
export function useDialog(name: DialogName | undefined) {
  const state = useState(false);
  const { dialog } = useSearch({ strict: false });
  const navigate = useNavigate();
  const setOpen = (isOpen: boolean) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, dialog: isOpen ? name : undefined })) as never,
      replace: true,
      resetScroll: false,
    });
  return name === undefined ? state : ([dialog === name, setOpen] as const);
}
