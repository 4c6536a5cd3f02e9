/** A progress bar with the estimated remaining time, updated every second. */
import { Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AdminTask, AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { useTickingNowMs } from '../components/clock.ts';
import { etaOf, type TypicalTime } from './eta.ts';
import { formOfRequest } from './generation-request.ts';
import classes from './playground.module.css';
import { estimateQuery } from './playground-queries.ts';

const tickMs = 1000;
const label = 'Generation progress';

function TaskProgress(props: {
  readonly task: Pick<AdminTask, 'status' | 'progress' | 'created_at'>;
  readonly typical: TypicalTime;
}): ReactNode {
  const { task, typical } = props;
  const nowMs = useTickingNowMs();
  const elapsedSeconds = Math.max(0, nowMs / 1000 - task.created_at);
  const { fraction, text } = etaOf({
    status: task.status,
    progress: task.progress,
    elapsedSeconds,
    typical,
  });
  return (
    <Stack gap={10} w="min(20rem, 80%)" align="center">
      {fraction === null ? (
        <div className={classes.indeterminate} role="progressbar" aria-label={label} />
      ) : (
        <Progress.Root size={6} w="100%" transitionDuration={tickMs}>
          <Progress.Section value={fraction * 100} aria-label={label} aria-valuetext={text} />
        </Progress.Root>
      )}
      <Text fz="sm" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {text}
      </Text>
    </Stack>
  );
}

/** The progress of a running task, with the typical time of such tasks. */
export function RunningTaskProgress({ task }: { readonly task: AdminTaskDetail }): ReactNode {
  const { account_id: id, mode } = task;
  const { data } = useQuery({
    ...estimateQuery({ id, mode }, formOfRequest(task.request)),
    // The typical time hardly changes while the task runs.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <TaskProgress task={task} typical={data?.time ?? null} />;
}
