/** The result of a task: progress, video, failure, or that the video has expired. */
import { Alert, Card, Center, Text } from '@mantine/core';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { useNowMs } from '../components/clock.ts';
import { toDate } from '../components/timestamp.tsx';
import { ResultVideo } from '../playground/result-video.tsx';
import { RunningTaskProgress } from '../playground/running-task-progress.tsx';

export function TaskResult({ task }: { readonly task: AdminTaskDetail }): ReactNode {
  const nowMs = useNowMs();
  if (task.status === 'failed') {
    return (
      <Alert
        color={task.failed_reason === 'cancelled' ? 'gray' : 'red'}
        title={task.failed_reason === 'cancelled' ? 'Canceled' : 'This task failed'}
      >
        {task.failure?.sentence ?? 'The task failed and its credits were refunded.'}
      </Alert>
    );
  }
  if (task.status !== 'completed') {
    return (
      <Card withBorder padding="md">
        <Center mih="14rem">
          <RunningTaskProgress task={task} />
        </Center>
      </Card>
    );
  }
  const [video] = task.data?.results ?? [];
  const isExpired = task.data ? toDate(task.data.video_expires_at).getTime() <= nowMs : true;
  if (video === undefined || isExpired) {
    return (
      <Alert color="gray" title="This video has expired">
        Videos are kept for a limited time. Try again creates it once more with the same request.
      </Alert>
    );
  }
  const ratio = task.request.input.aspect_ratio ?? 'adaptive';
  return (
    <Card withBorder padding="md">
      <ResultVideo task={task} video={video} ratio={ratio} />
      <Text fz="xs" c="dimmed" mt="xs">
        Generated in {task.data?.processing_time ?? 0} s
      </Text>
    </Card>
  );
}
