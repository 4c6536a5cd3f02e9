/**
 * Creates a task with the request of one that failed or whose video has expired, after a
 * confirmation with its price.
 */
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { type ReactNode, useState } from 'react';
import { useAccount } from '../api/session.ts';
import { useNowMs } from '../components/clock.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Credits } from '../components/format.tsx';
import { toDate } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { formOfRequest } from '../playground/generation-request.ts';
import { estimateQuery } from '../playground/playground-queries.ts';
import { useCreateTask } from '../playground/use-create-task.ts';
import { isBlocked } from '../playground/use-submit.ts';

export function RetryTask({
  task,
  onCreated,
}: {
  readonly task: AdminTaskDetail;
  onCreated(taskId: string): void;
}): ReactNode {
  const { hasRole, account } = useAccount();
  const [isConfirming, setConfirming] = useState(false);
  const { account_id: id, mode, request } = task;
  const create = useCreateTask({ id, mode });
  const canRetry = useCanRetry(task);
  if (!canRetry || isBlocked(account)) return null;
  const retry = async () => {
    const { taskId } = await create.mutateAsync(request);
    toast('Task created');
    onCreated(taskId);
  };
  return (
    <>
      <Button size="xs" disabled={!hasRole('developer')} onClick={() => setConfirming(true)}>
        Try again
      </Button>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Try again?"
        action="Create task"
        nonDestructive
        run={retry}
      >
        <RetryPrice task={task} />
      </ConfirmDialog>
    </>
  );
}

function useCanRetry({ status, data }: AdminTaskDetail): boolean {
  const nowMs = useNowMs();
  if (status === 'failed') return true;
  return data !== undefined && toDate(data.video_expires_at).getTime() <= nowMs;
}

/** Rendered inside the dialog, so that the price is of the time when it opens. */
function RetryPrice({ task }: { readonly task: AdminTaskDetail }): ReactNode {
  const { account_id: id, mode, request } = task;
  const { data: price } = useQuery(estimateQuery({ id, mode }, formOfRequest(request)));
  const kind = mode === 'test' ? 'test credits' : 'credits';
  return (
    <Text fz="sm">
      Creates a new task with the same request.{' '}
      {price === undefined ? null : (
        <>
          It costs {request.input.duration === -1 ? 'up to ' : ''}
          <Credits amount={price.credits} fw={600} />
          {' of your '}
          <Credits amount={price.available} /> {kind}.
        </>
      )}
    </Text>
  );
}
