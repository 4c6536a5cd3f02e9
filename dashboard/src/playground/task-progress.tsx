/** A progress bar with the estimated remaining time, updated every second. */
import { Progress, Stack, Text } from '@mantine/core';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { useTickingNowMs } from '../components/clock.ts';
import { etaOf, type TypicalTime } from './eta.ts';
import classes from './playground.module.css';

const tickMs = 1000;
const label = 'Generation progress';

export function TaskProgress({
  task,
  typical,
}: {
  readonly task: Pick<AdminTask, 'status' | 'progress' | 'created_at'>;
  readonly typical: TypicalTime;
}): ReactNode {
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
