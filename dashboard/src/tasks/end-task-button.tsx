/** A button that cancels or deletes a task after a confirmation; viewers cannot use it. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAccount } from '../api/session.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';

export function EndTaskButton({
  action,
  run,
  children,
}: {
  readonly action: 'Cancel task' | 'Delete task';
  run(): Promise<void>;
  /** Says what the action does. */
  readonly children: string;
}): ReactNode {
  const { hasRole } = useAccount();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <Button
        size="xs"
        color="red"
        variant="light"
        disabled={!hasRole('developer')}
        onClick={() => setConfirming(true)}
      >
        {action}
      </Button>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={`${action}?`}
        action={action}
        dismiss="Keep task"
        run={run}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
