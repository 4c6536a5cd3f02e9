/** The status of a task, its billing or a delivery, as a badge. */
import { Badge, Box, Group, type MantineColor, Text, VisuallyHidden } from '@mantine/core';
import { ClockIcon, CrossCircledIcon, VideoIcon } from '@radix-ui/react-icons';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import { useState } from 'react';
import { sameOriginUrl } from '../api/files.ts';
import { CopyButton } from './code.tsx';
import { TextLink } from './links.tsx';
import classes from './poster.module.css';
import { failedReasonLabels, type Status, statusLabels } from './value-labels.ts';

const colors: Readonly<Record<Status, MantineColor>> = {
  queued: 'gray',
  generating: 'blue',
  completed: 'green',
  failed: 'red',
  reserved: 'gray',
  charged: 'green',
  refunded: 'blue',
  refund_failed: 'red',
  pending: 'yellow',
  delivered: 'green',
  exhausted: 'red',
};

export function StatusBadge(props: {
  readonly status: Status;
  /** A task that was cancelled did not fail. */
  readonly failedReason?: FailedReason | null;
}) {
  const { status, failedReason } = props;
  if (failedReason === 'cancelled') {
    return <Badge color="gray">{failedReasonLabels.cancelled}</Badge>;
  }
  return <Badge color={colors[status]}>{statusLabels[status]}</Badge>;
}

/** Marks what the built-in preview made, so that it is not taken for a provider's video. */
export function PreviewBadge(props: { readonly task: { readonly preview: boolean } }) {
  const { task } = props;
  if (!task.preview) return null;
  return (
    <Badge color="orange" title="Made by the built-in preview, not by a provider">
      Preview
    </Badge>
  );
}

/** The poster of a task's video in lists; an icon while there is none. */
export function Poster(props: { readonly task: Pick<AdminTask, 'status' | 'poster_url'> }) {
  const { task } = props;
  // Gone when the result has expired since the list was loaded.
  const [brokenSource, setBrokenSource] = useState<string | null>(null);
  const source = task.poster_url === null ? null : sameOriginUrl(task.poster_url);
  if (source !== null && source !== brokenSource) {
    return (
      <img
        className={classes.poster}
        src={source}
        alt=""
        width={64}
        height={36}
        loading="lazy"
        decoding="async"
        onError={() => setBrokenSource(source)}
      />
    );
  }
  const Icon = { failed: CrossCircledIcon, completed: VideoIcon, queued: ClockIcon }[
    task.status === 'generating' ? 'queued' : task.status
  ];
  return (
    <span className={classes.poster} aria-hidden>
      <Icon />
    </span>
  );
}

/** A link to a task by its prompt, above the end of its ID with a button that copies all of it. */
export function TaskLink(props: {
  readonly account: string;
  readonly task: string;
  /** Null if it is deleted: then the ID is the link. */
  readonly prompt: string | null;
}) {
  const { account, task, prompt } = props;
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
