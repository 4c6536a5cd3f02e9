/** Asks for a code of the second factor before an action. */
import { Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SubmitRow } from '../components/submit-row.tsx';
import { useAsyncAction } from '../components/use-async-action.ts';
import { CodeInput } from './second-step.tsx';

type CodeDialogProps = {
  readonly opened: boolean;
  onClose(): void;
  readonly title: string;
  /** Says what the action does. */
  readonly description: string;
  /** The label of the button. */
  readonly action: string;
  readonly errorTitle: string;
  run(code: string): Promise<void>;
};

export function CodeDialog(props: CodeDialogProps): ReactNode {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <CodeForm {...props} />
    </Modal>
  );
}

/** Rendered inside the modal, so that its state is reset each time the modal opens. */
function CodeForm({ description, action, errorTitle, run, onClose }: CodeDialogProps): ReactNode {
  const [code, setCode] = useState('');
  const submit = useAsyncAction(async () => {
    await run(code.trim());
    onClose();
  });
  return (
    <form onSubmit={submit.run}>
      <Stack gap="md">
        <Text fz="sm">{description}</Text>
        <CodeInput kind="any" value={code} onChange={setCode} />
        <SubmitRow
          error={submit.error}
          errorTitle={errorTitle}
          isPending={submit.isPending}
          isDisabled={code.trim().length < 6}
        >
          {action}
        </SubmitRow>
      </Stack>
    </form>
  );
}
