/** Cancels a running task after a confirmation. */
import { Button } from '@mantine/core';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { toast } from '../components/toast.ts';

export function CancelTask({
  task,
}: {
  readonly task: Pick<AdminTask, 'id' | 'account_id'>;
}): ReactNode {
  const { hasRole } = useAccount();
  const [isConfirming, setConfirming] = useState(false);
  const cancel = async () => {
    await post(`/admin/tasks/${task.id}/cancel`);
    toast('Task canceled');
    await queryClient.invalidateQueries({ queryKey: keys.task(task.id) });
    await queryClient.invalidateQueries({ queryKey: keys.account(task.account_id) });
  };
  return (
    <>
      <Button
        size="xs"
        color="red"
        variant="light"
        disabled={!hasRole('developer')}
        onClick={() => setConfirming(true)}
      >
        Cancel task
      </Button>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Cancel task?"
        action="Cancel task"
        dismiss="Keep task"
        run={cancel}
      >
        The task will stop and its credits will be refunded. Any progress is lost.
      </ConfirmDialog>
    </>
  );
}
