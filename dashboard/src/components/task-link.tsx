/** A link to a task by the end of its ID, with a button that copies all of it. */
import { Group, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import { TextLink } from './links.tsx';

export function TaskLink({
  account,
  task,
}: {
  readonly account: string;
  readonly task: string;
}): ReactNode {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <TextLink
        to="/accounts/$account/tasks/$task"
        params={{ account, task }}
        ff="monospace"
        fz="xs"
        title={task}
      >
        <span aria-hidden>task_…{task.slice(-8)}</span>
        <VisuallyHidden>{task}</VisuallyHidden>
      </TextLink>
      <CopyButton value={task} label="task ID" />
    </Group>
  );
}
