/** The actions on a task: copy as cURL, open in the playground, cancel. */
import { Button, Group } from '@mantine/core';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { type ReactNode, useState } from 'react';
import { serviceUrl } from '../api/base-path.ts';
import { post } from '../api/client.ts';
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
  const isRunning = task.status === 'queued' || task.status === 'generating';
  const cancel = async () => {
    await post(`/admin/tasks/${task.id}/cancel`);
    toast('Task canceled');
    await queryClient.invalidateQueries({ queryKey: keys.task(task.id) });
    await queryClient.invalidateQueries({ queryKey: keys.account(task.account_id) });
  };
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
      {isRunning ? (
        <Button
          size="xs"
          color="red"
          variant="light"
          disabled={!hasRole('developer')}
          onClick={() => setConfirming(true)}
        >
          Cancel task
        </Button>
      ) : null}
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
    </Group>
  );
}
