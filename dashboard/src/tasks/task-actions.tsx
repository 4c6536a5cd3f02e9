/** The actions on a task: copy as cURL, open in the playground, try again, cancel or delete. */
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AdminTask, AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { serviceUrl } from '../api/base-path.ts';
import { del, invalidate, pathKey, post, queryClient } from '../api/client.ts';
import { isBlocked, useAccount } from '../api/session.ts';
import { toast } from '../components/action.ts';
import { useNowMs } from '../components/clock.ts';
import { CopyButton } from '../components/code.tsx';
import { ConfirmButton } from '../components/confirm-dialog.tsx';
import { LinkButton } from '../components/links.tsx';
import { Credits, toDate } from '../components/text.tsx';
import { searchOf } from '../playground/form-url.ts';
import { formOfRequest } from '../playground/generation-request.ts';
import { estimateQuery } from '../playground/playground-queries.ts';
import { curlOf } from '../playground/snippets.ts';
import { useCreateTask } from '../playground/use-submit.ts';
import { useOpenForm } from '../stories/follow-ups.tsx';

export function TaskActions({ task }: { readonly task: AdminTaskDetail }) {
  const navigate = useNavigate();
  const isRunning = task.status === 'queued' || task.status === 'generating';
  // Below the result is a button that does the same.
  const hasResult = !useCanRetry(task) && !isRunning;
  const remove = async () => {
    await del(`/admin/tasks/${task.id}`);
    toast('Task deleted');
    const params = { account: task.account_id };
    await navigate({ to: '/accounts/$account/tasks', params, search: { mode: task.mode } });
    queryClient.removeQueries({ queryKey: pathKey(`/admin/tasks/${task.id}`) });
    await invalidate(`/admin/accounts/${task.account_id}`);
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
      {hasResult ? null : (
        <LinkButton
          variant="default"
          size="xs"
          to="/accounts/$account/playground"
          params={{ account: task.account_id }}
          search={{ mode: task.mode, task: task.id }}
        >
          Open in playground
        </LinkButton>
      )}
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

/**
 * Creates a task with the request of one that failed or whose video has expired, after a
 * confirmation with its price. Where the content was rejected, opens its form instead.
 */
export function RetryTask(props: {
  readonly task: AdminTaskDetail;
  onCreated(taskId: string): void;
}) {
  const { task, onCreated } = props;
  const { hasRole, account } = useAccount();
  const { account_id: id, mode, request } = task;
  const create = useCreateTask({ id, mode });
  const canRetry = useCanRetry(task);
  const open = useOpenForm(task);
  if (!canRetry || isBlocked(account)) return null;
  // The same content would be rejected again.
  if (task.failed_reason === 'provider_rejected') {
    return (
      <Button
        size="xs"
        disabled={!hasRole('developer')}
        onClick={() => void open({ ...searchOf(formOfRequest(request)), task: task.id })}
      >
        Edit and try again
      </Button>
    );
  }
  const retry = async () => {
    const { taskId } = await create.mutateAsync(request);
    toast('Task created');
    onCreated(taskId);
  };
  return (
    <ConfirmButton
      label="Try again"
      button={{ variant: 'filled', disabled: !hasRole('developer') }}
      title="Try again?"
      action="Create task"
      nonDestructive
      run={retry}
    >
      <RetryPrice task={task} />
    </ConfirmButton>
  );
}

function useCanRetry({ status, data }: AdminTaskDetail): boolean {
  const nowMs = useNowMs();
  if (status === 'failed') return true;
  return data !== undefined && toDate(data.video_expires_at).getTime() <= nowMs;
}

/** Rendered inside the dialog, so that the price is of the time when it opens. */
function RetryPrice({ task }: { readonly task: AdminTaskDetail }) {
  const { account_id: id, mode, request } = task;
  const { data: price } = useQuery(estimateQuery({ id, mode }, formOfRequest(request)));
  const kind = mode === 'test' ? 'test credits' : 'credits';
  return (
    <Text fz="sm">
      Creates a new task with the same request.{' '}
      {price === undefined ? null : (
        <>
          It costs {price.upper_bound ? 'up to ' : ''}
          <Credits amount={price.credits} fw={600} />
          {' of your '}
          <Credits amount={price.available} /> {kind}.
        </>
      )}
    </Text>
  );
}

/** Cancels a running task after a confirmation. */
export function CancelTask(props: { readonly task: Pick<AdminTask, 'id' | 'account_id'> }) {
  const { task } = props;
  const cancel = async () => {
    await post(`/admin/tasks/${task.id}/cancel`);
    toast('Task canceled');
    await invalidate(`/admin/tasks/${task.id}`, `/admin/accounts/${task.account_id}`);
  };
  return (
    <EndTaskButton action="Cancel task" run={cancel}>
      The task will stop and its credits will be refunded. Any progress is lost.
    </EndTaskButton>
  );
}

/** A button that cancels or deletes a task after a confirmation; viewers cannot use it. */
function EndTaskButton(props: {
  readonly action: 'Cancel task' | 'Delete task';
  run(): Promise<void>;
  /** Says what the action does. */
  readonly children: string;
}) {
  const { action, run, children } = props;
  const { hasRole } = useAccount();
  return (
    <ConfirmButton
      label={action}
      button={{ color: 'red', variant: 'light', disabled: !hasRole('developer') }}
      title={`${action}?`}
      action={action}
      dismiss="Keep task"
      run={run}
    >
      {children}
    </ConfirmButton>
  );
}
