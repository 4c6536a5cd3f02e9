/** Asks for confirmation of an action, optionally by typing a name. */
import { Button, type ButtonProps, Modal, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAsyncAction } from './action.ts';
import { Form } from './form.tsx';

type ConfirmDialogProps = {
  readonly opened: boolean;
  onClose(): void;
  readonly title: string;
  /** Says what the action does. */
  readonly children: ReactNode;
  /** The label of the button, such as "Revoke key". */
  readonly action: string;
  /** The label of the button that closes the dialog. */
  readonly dismiss?: string;
  /** The text to type before the button is enabled. */
  readonly confirmationText?: string;
  /** The button is red unless this is set. */
  readonly nonDestructive?: true;
  /** Runs the action. The dialog closes when it resolves and shows the error when it rejects. */
  run(): Promise<unknown>;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <ConfirmForm {...props} />
    </Modal>
  );
}

/** A button whose action asks for confirmation first. */
export function ConfirmButton(
  props: Omit<ConfirmDialogProps, 'opened' | 'onClose'> & {
    readonly label: string;
    readonly button?: ButtonProps;
  },
) {
  const { label, button, ...dialog } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog {...dialog} opened={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

/** Rendered inside the modal, so that its state is reset each time the modal opens. */
function ConfirmForm(props: ConfirmDialogProps) {
  const { children, confirmationText, run, onClose } = props;
  const [input, setInput] = useState('');
  const isReady = confirmationText === undefined || input.trim() === confirmationText;
  const submit = useAsyncAction(async () => {
    if (!isReady) return;
    await run();
    onClose();
  });
  return (
    <Form
      submit={submit}
      action={props.action}
      errorTitle="Something went wrong"
      isDisabled={!isReady}
      isDestructive={!props.nonDestructive}
      onCancel={onClose}
      {...(props.dismiss ? { cancel: props.dismiss } : {})}
    >
      {typeof children === 'string' ? <Text fz="sm">{children}</Text> : children}
      {confirmationText === undefined ? null : (
        <TextInput
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          label={
            <>
              Type <b>{confirmationText}</b> to confirm
            </>
          }
          value={input}
          onChange={({ currentTarget }) => setInput(currentTarget.value)}
        />
      )}
    </Form>
  );
}
