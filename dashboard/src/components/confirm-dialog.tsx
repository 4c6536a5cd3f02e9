/** Asks before something that cannot be undone; what matters most wants its name typed. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { useAsyncAction } from './use-async-action.ts';

type ConfirmDialogProps = {
  readonly opened: boolean;
  onClose(): void;
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** The words of the button: "Revoke key". */
  readonly action: string;
  /** Has to be typed first. */
  readonly confirmationText?: string;
  /** Not dangerous, only important. */
  readonly nonDestructive?: true;
  /** Does it; the dialog closes when it has, and shows what went wrong when it has not. */
  run(): Promise<unknown>;
};

export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <ConfirmForm {...props} />
    </Modal>
  );
}

/** Inside, so that it begins anew each time it is opened. */
function ConfirmForm({
  children,
  action,
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
        {submit.error ? <ErrorNotice error={submit.error} title="That did not work" /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Keep it as it is
          </Button>
          <Button
            type="submit"
            {...(nonDestructive ? {} : { color: 'red' })}
            loading={submit.isPending}
            disabled={!isReady}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
