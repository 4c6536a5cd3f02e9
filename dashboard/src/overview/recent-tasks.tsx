/** The newest tasks of an account as links. */
import { Group, Paper, Text } from '@mantine/core';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { Credits } from '../components/format.tsx';
import { TextLink } from '../components/links.tsx';
import { Poster } from '../components/poster.tsx';
import { PreviewBadge } from '../components/preview-badge.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import classes from './recent-tasks.module.css';

export function RecentTasks({
  accountId,
  tasks,
}: {
  readonly accountId: string;
  readonly tasks: readonly AdminTask[];
}): ReactNode {
  return (
    <Paper withBorder component="ul" className={classes.list ?? ''}>
      {tasks.map((task) => (
        <li key={task.id} className={classes.task}>
          <TextLink
            className={classes.link ?? ''}
            to="/accounts/$account/tasks/$task"
            params={{ account: accountId, task: task.id }}
            underline="never"
          >
            <Poster task={task} />
            <Text fz="sm" fw={500} truncate>
              {task.prompt}
            </Text>
          </TextLink>
          <Group gap="md" wrap="nowrap" className={classes.details ?? ''}>
            <StatusBadge status={task.status} failedReason={task.failed_reason} />
            <PreviewBadge task={task} />
            <Text fz="xs" c="dimmed" className={classes.detail ?? ''}>
              {task.model}
            </Text>
            <Text fz="xs" c="dimmed" className={classes.detail ?? ''}>
              <Credits amount={task.credits} unit />
            </Text>
            <Text fz="xs" c="dimmed" className={classes.time ?? ''}>
              <Timestamp at={task.created_at} />
            </Text>
          </Group>
        </li>
      ))}
    </Paper>
  );
}
