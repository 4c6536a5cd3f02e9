/** The actions on a task: copy as cURL, open in the playground, try again, cancel or delete. */
import { Group } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { serviceUrl } from '../api/base-path.ts';
import { del } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { LinkButton } from '../components/links.tsx';
import { toast } from '../components/toast.ts';
import { curlOf } from '../playground/snippets.ts';
import { CancelTask } from './cancel-task.tsx';
import { EndTaskButton } from './end-task-button.tsx';
import { RetryTask } from './retry-task.tsx';

export function TaskActions({ task }: { readonly task: AdminTaskDetail }): ReactNode {
  const navigate = useNavigate();
  const isRunning = task.status === 'queued' || task.status === 'generating';
  const remove = async () => {
    await del(`/admin/tasks/${task.id}`);
    toast('Task deleted');
    const params = { account: task.account_id };
    await navigate({ to: '/accounts/$account/tasks', params, search: { mode: task.mode } });
    queryClient.removeQueries({ queryKey: keys.task(task.id) });
    await queryClient.invalidateQueries({ queryKey: keys.account(task.account_id) });
  };
  const openTask = (created: string) =>
    void navigate({
      to: '/accounts/$account/tasks/$task',
      params: { account: task.account_id, task: created },
      search: { mode: task.mode },
    });
  return (
    <Group gap="xs">
      <RetryTask task={task} onCreated={openTask} />
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
        <CancelTask task={task} />
      ) : (
        <EndTaskButton action="Delete task" run={remove}>
          Deletes its prompt, inputs, results and webhook. This can’t be undone. Credit history and
          usage aren’t affected.
        </EndTaskButton>
      )}
    </Group>
  );
}
