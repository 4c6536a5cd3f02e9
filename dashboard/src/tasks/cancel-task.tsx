/** Cancels a running task after a confirmation. */
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { toast } from '../components/toast.ts';
import { EndTaskButton } from './end-task-button.tsx';

export function CancelTask({
  task,
}: {
  readonly task: Pick<AdminTask, 'id' | 'account_id'>;
}): ReactNode {
  const cancel = async () => {
    await post(`/admin/tasks/${task.id}/cancel`);
    toast('Task canceled');
    await queryClient.invalidateQueries({ queryKey: keys.task(task.id) });
    await queryClient.invalidateQueries({ queryKey: keys.account(task.account_id) });
  };
  return (
    <EndTaskButton action="Cancel task" run={cancel}>
      The task will stop and its credits will be refunded. Any progress is lost.
    </EndTaskButton>
  );
}
