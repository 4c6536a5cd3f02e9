/** A bar and an honest word about how long it will be, second by second. */
import { Progress, Stack, Text } from '@mantine/core';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { useSecondsMs } from '../components/clock.ts';
import { etaOf, type UsualTime } from './eta.ts';
import classes from './playground.module.css';

const tickMs = 1000;
const label = 'Progress of the video';

export function TaskProgress({
  task,
  usual,
}: {
  readonly task: Pick<AdminTask, 'status' | 'progress' | 'created_at'>;
  readonly usual: UsualTime;
}): ReactNode {
  const nowMs = useSecondsMs();
  const elapsedSeconds = Math.max(0, nowMs / 1000 - task.created_at);
  const { share, words } = etaOf({
    status: task.status,
    progress: task.progress,
    elapsedSeconds,
    usual,
  });
  return (
    <Stack gap={10} w="min(20rem, 80%)" align="center">
      {share === null ? (
        <div className={classes.unknown} role="progressbar" aria-label={label} />
      ) : (
        <Progress.Root size={6} w="100%" transitionDuration={tickMs}>
          <Progress.Section value={share * 100} aria-label={label} aria-valuetext={words} />
        </Progress.Root>
      )}
      <Text fz="sm" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {words}
      </Text>
    </Stack>
  );
}
