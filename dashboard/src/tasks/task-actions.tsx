/** The actions on a task: copy as cURL, open in the playground, cancel or delete. */
import { Button, Group } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { type ReactNode, useState } from 'react';
import { serviceUrl } from '../api/base-path.ts';
import { del, post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { LinkButton } from '../components/links.tsx';
import { toast } from '../components/toast.ts';
import { curlOf } from '../playground/snippets.ts';

export function TaskActions({ task }: { readonly task: AdminTaskDetail }): ReactNode {
  const { hasRole } = useAccount();
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const isRunning = task.status === 'queued' || task.status === 'generating';
  const cancel = async () => {
    await post(`/admin/tasks/${task.id}/cancel`);
    toast('The task was cancelled');
    await queryClient.invalidateQueries({ queryKey: keys.task(task.id) });
    await queryClient.invalidateQueries({ queryKey: keys.account(task.account_id) });
  };
  const remove = async () => {
    await del(`/admin/tasks/${task.id}`);
    toast('The task was deleted');
    const params = { account: task.account_id };
    await navigate({ to: '/accounts/$account/tasks', params, search: { mode: task.mode } });
    queryClient.removeQueries({ queryKey: keys.task(task.id) });
    await queryClient.invalidateQueries({ queryKey: keys.account(task.account_id) });
  };
  const action = isRunning ? 'Cancel' : 'Delete';
  return (
    <Group gap="xs">
      <CopyButton value={curlOf(task.request, serviceUrl)} label="cURL" text="Copy as cURL" />
      <LinkButton
        variant="default"
        size="xs"
        to="/accounts/$account/playground"
        params={{ account: task.account_id }}
        search={{ mode: task.mode, task: task.id }}
      >
        Open in playground
      </LinkButton>
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
        title={`${action} the task`}
        action={`${action} the task`}
        run={isRunning ? cancel : remove}
      >
        {isRunning
          ? 'The task fails as cancelled, and its reserved credits come back. What the generator ' +
            'has already made is lost.'
          : 'Its prompt, inputs, results and webhook delivery are deleted and can’t be restored. ' +
            'Credits, usage and the statement stay as they are.'}
      </ConfirmDialog>
    </Group>
  );
}
