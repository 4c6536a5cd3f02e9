/** The progress of a running task as its provider reports it, and how long such tasks take. */
import { Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import { useTickingNowMs } from '../components/clock.ts';
import { formatDuration, SmallNote } from '../components/text.tsx';
import { formOfRequest } from './generation-request.ts';
import classes from './playground.module.css';
import { estimateQuery } from './playground-queries.ts';

const tickMs = 1000;

export function RunningTaskProgress({ task }: { readonly task: AdminTaskDetail }) {
  const { account_id: id, mode, status, progress } = task;
  const { data } = useQuery({
    ...estimateQuery({ id, mode }, formOfRequest(task.request)),
    // The typical time hardly changes while the task runs.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const seconds = useTickingNowMs() / 1000 - task.created_at;
  const elapsed = formatSeconds(seconds);
  const left = data?.time ? data.time.p50_seconds - seconds : 0;
  const spoken = {
    role: 'progressbar',
    'aria-label': 'Generation progress',
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    ...(left > 1 ? { 'aria-valuetext': `About ${formatSeconds(left)} left` } : {}),
  };
  const text = `${status === 'queued' ? 'In queue' : 'Generating'}, ${elapsed} elapsed`;
  return (
    <Stack gap={10} w="min(20rem, 80%)" align="center">
      {progress === null ? (
        <div className={classes.indeterminate} {...spoken} />
      ) : (
        <Progress.Root size={6} w="100%" transitionDuration={tickMs}>
          <Progress.Section
            value={progress * 100}
            withAria={false} // Mantine's attributes have all digits of the percentage.
            {...spoken}
            aria-valuenow={Math.round(progress * 100)}
          />
        </Progress.Root>
      )}
      <Text fz="sm" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {text}
      </Text>
      <SmallNote>{formatTypicalTime(data?.time ?? null)}</SmallNote>
    </Stack>
  );
}

const formatSeconds = (seconds: number): string => formatDuration(Math.max(1, Math.round(seconds)));

/** Returns how long such tasks usually take; null when it is unknown. */
export function formatTypicalTime(typical: PlaygroundEstimate['time']): string | null {
  if (typical === null) return null;
  const short = formatSeconds(typical.p50_seconds);
  const long = formatSeconds(typical.p95_seconds);
  return short === long ? `Usually takes ${short}` : `Usually takes ${short}, rarely over ${long}`;
}
