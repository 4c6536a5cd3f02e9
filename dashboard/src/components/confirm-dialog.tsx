/** Asks before something that cannot be undone; what matters most wants its name typed. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useErrand } from './errand.ts';
import { ErrorNotice } from './error-notice.tsx';

export type ConfirmDialogProps = {
  readonly opened: boolean;
  onClose(): void;
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** The words of the button: "Revoke key". */
  readonly action: string;
  /** Has to be typed first. */
  readonly typed?: string;
  /** Not dangerous, only important. */
  readonly calm?: true;
  /** Does it; the dialog closes when it has, and shows what went wrong when it has not. */
  run(): Promise<unknown>;
};

export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <Question {...props} />
    </Modal>
  );
}

/** Inside, so that it begins anew each time it is opened. */
function Question({ children, action, typed, calm, run, onClose }: ConfirmDialogProps): ReactNode {
  const [words, setWords] = useState('');
  const isReady = typed === undefined || words.trim() === typed;

  const {
    isRunning,
    error,
    run: submit,
  } = useErrand(async () => {
    if (!isReady) return;
    await run();
    onClose();
  });

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {typeof children === 'string' ? <Text fz="sm">{children}</Text> : children}
        {typed === undefined ? null : (
          <TextInput
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            label={
              <>
                Type <b>{typed}</b> to confirm
              </>
            }
            value={words}
            onChange={({ currentTarget }) => setWords(currentTarget.value)}
          />
        )}
        {error ? <ErrorNotice error={error} what="That did not work" /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Keep it as it is
          </Button>
          <Button
            type="submit"
            {...(calm ? {} : { color: 'red' })}
            loading={isRunning}
            disabled={!isReady}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
