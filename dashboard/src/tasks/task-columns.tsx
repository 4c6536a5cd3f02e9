/** The columns of task tables. */
import { Group, Progress, Text } from '@mantine/core';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { AccountLink } from '../admin/account-link.tsx';
import { type Column, fillWidth, timeCells } from '../components/data-table.tsx';
import { Credits, formatDuration, ModelName } from '../components/format.tsx';
import { Poster, PreviewBadge, StatusBadge } from '../components/task-badges.tsx';
import {
  failedReasonLabels,
  generationTypeLabels,
  statusLabels,
} from '../components/value-labels.ts';

const accountColumn: Column<AdminTask> = {
  accessor: 'account',
  title: 'Account',
  noWrap: true,
  render: ({ account_id }) => <AccountLink id={account_id} />,
};

const areAllPreviews = (tasks: readonly AdminTask[]): boolean =>
  tasks.length > 0 && tasks.every(({ preview }) => preview);

/** Said once below a list of previews alone; elsewhere each preview has a badge. */
export const previewNote = (tasks: readonly AdminTask[]): string =>
  areAllPreviews(tasks) ? 'all made by the built-in preview' : '';

/** Empty for a canceled task: its status says so. */
const reasonOf = ({ failed_reason: reason }: AdminTask): string =>
  reason === null || reason === 'cancelled' ? '' : failedReasonLabels[reason];

/** Left out where no task of the list has failed. */
const reasonColumn: Column<AdminTask> = {
  accessor: 'reason',
  title: 'Reason',
  noWrap: true,
  render: reasonOf,
};

export const taskColumns = (tasks: readonly AdminTask[]): Column<AdminTask>[] => [
  {
    accessor: 'status',
    title: 'Status',
    noWrap: true,
    render: (task) => <StatusCell task={task} showsPreview={!areAllPreviews(tasks)} />,
  },
  {
    accessor: 'prompt',
    title: 'Prompt',
    ...fillWidth,
    phone: 'title',
    render: (task) => (
      <Group gap="sm" wrap="nowrap">
        <Poster task={task} />
        <Text fz="sm" lineClamp={1} title={task.prompt} style={{ overflowWrap: 'anywhere' }}>
          {task.prompt}
        </Text>
      </Group>
    ),
  },
  {
    accessor: 'model',
    title: 'Model',
    noWrap: true,
    render: ({ model }) => <ModelName name={model} />,
  },
  {
    accessor: 'type',
    title: 'Type',
    phone: 'hidden',
    noWrap: true,
    render: ({ generation_type }) => generationTypeLabels[generation_type],
  },
  {
    accessor: 'size',
    title: 'Output',
    noWrap: true,
    render: ({ resolution, duration: seconds }) =>
      `${resolution}, ${seconds < 0 ? 'edited' : `${seconds} s`}`,
  },
  {
    accessor: 'credits',
    title: 'Credits',
    textAlign: 'right',
    noWrap: true,
    render: ({ credits, billing_status: billing }) => (
      <Text fz="sm" {...(billing === 'refund_failed' ? { c: 'red' } : {})}>
        <Credits amount={credits} />{' '}
        <Text span c="dimmed" inherit>
          {statusLabels[billing].toLowerCase()}
        </Text>
      </Text>
    ),
  },
  ...(tasks.some(reasonOf) ? [reasonColumn] : []),
  {
    accessor: 'created',
    title: 'Created',
    ...timeCells(({ created_at }: AdminTask) => created_at),
  },
  {
    accessor: 'took',
    title: 'Total time',
    phone: 'hidden',
    textAlign: 'right',
    noWrap: true,
    render: ({ created_at, finished_at }) =>
      finished_at === null ? '–' : formatDuration(finished_at - created_at),
  },
];

/** Shows the account instead of the generation type. */
export const allTasksColumns = (tasks: readonly AdminTask[]): Column<AdminTask>[] => [
  accountColumn,
  ...taskColumns(tasks).filter(({ accessor }) => accessor !== 'type'),
];

function StatusCell(props: {
  readonly task: AdminTask;
  readonly showsPreview: boolean;
}): ReactNode {
  const { task, showsPreview } = props;
  return (
    <Group gap={4}>
      <StatusBadge status={task.status} failedReason={task.failed_reason} />
      {showsPreview ? <PreviewBadge task={task} /> : null}
      {task.status !== 'generating' || task.progress === null ? null : (
        <Progress w="100%" size={3} value={Math.round(task.progress * 100)} aria-label="Progress" />
      )}
    </Group>
  );
}
