/** A link to a task by its full ID, with a copy button. */
import { Group } from '@mantine/core';
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
      >
        {task}
      </TextLink>
      <CopyButton value={task} label="task ID" />
    </Group>
  );
}
