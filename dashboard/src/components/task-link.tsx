/** A link to a task by its prompt, above the end of its ID with a button that copies all of it. */
import { Box, Group, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import { TextLink } from './links.tsx';

export function TaskLink({
  account,
  task,
  prompt,
}: {
  readonly account: string;
  readonly task: string;
  /** Null if it is deleted: then the ID is the link. */
  readonly prompt: string | null;
}): ReactNode {
  const to = { to: '/accounts/$account/tasks/$task', params: { account, task } } as const;
  const id = (
    <>
      <span aria-hidden>task_…{task.slice(-8)}</span>
      <VisuallyHidden>{task}</VisuallyHidden>
    </>
  );
  return (
    <Box miw={0}>
      {prompt === null ? null : (
        <TextLink {...to} fz="sm" lineClamp={1} title={prompt}>
          {prompt}
        </TextLink>
      )}
      <Group gap={4} wrap="nowrap" display="inline-flex">
        {prompt === null ? (
          <TextLink {...to} ff="monospace" fz="xs" title={task}>
            {id}
          </TextLink>
        ) : (
          <Text span ff="monospace" fz="xs" c="dimmed" title={task}>
            {id}
          </Text>
        )}
        <CopyButton value={task} label="task ID" />
      </Group>
    </Box>
  );
}
