/** Asks for confirmation of an action, optionally by typing a name. */
import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SubmitRow } from './submit-row.tsx';
import { useAsyncAction } from './use-async-action.ts';

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

export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <ConfirmForm {...props} />
    </Modal>
  );
}

/** Rendered inside the modal, so that its state is reset each time the modal opens. */
function ConfirmForm({
  children,
  action,
  dismiss = 'Cancel',
  confirmationText,
  nonDestructive,
  run,
  onClose,
}: ConfirmDialogProps): ReactNode {
  const [input, setInput] = useState('');
  const isReady = confirmationText === undefined || input.trim() === confirmationText;

  const submit = useAsyncAction(async () => {
    if (!isReady) return;
    await run();
    onClose();
  });

  return (
    <form onSubmit={submit.run}>
      <Stack gap="md">
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
        <SubmitRow
          error={submit.error}
          errorTitle="Something went wrong"
          isPending={submit.isPending}
          isDisabled={!isReady}
          isDestructive={!nonDestructive}
          onCancel={onClose}
          cancel={dismiss}
        >
          {action}
        </SubmitRow>
      </Stack>
    </form>
  );
}
