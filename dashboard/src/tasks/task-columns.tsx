/** The columns of task tables. */
import { Group, Progress, Stack, Text } from '@mantine/core';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { AccountLink } from '../admin/account-link.tsx';
import { atRight, type Column, column, fillWidth, timeColumn } from '../components/data-table.tsx';
import { Poster, PreviewBadge, StatusBadge } from '../components/task-badges.tsx';
import { Credits, formatDuration, ModelName } from '../components/text.tsx';
import {
  failedReasonLabels,
  generationTypeLabels,
  statusLabels,
} from '../components/value-labels.ts';

const areAllPreviews = (tasks: readonly AdminTask[]): boolean =>
  tasks.length > 0 && tasks.every(({ preview }) => preview);

/** Said once below a list of previews alone; elsewhere each preview has a badge. */
export const previewNote = (tasks: readonly AdminTask[]): string =>
  areAllPreviews(tasks) ? 'all made by the built-in preview' : '';

/** Empty for a canceled task: its status says so. */
const reasonOf = ({ failed_reason: reason }: AdminTask): string =>
  reason === null || reason === 'cancelled' ? '' : failedReasonLabels[reason];

export const taskColumns = (tasks: readonly AdminTask[]): Column<AdminTask>[] => [
  column('status', 'Status', (task) => (
    <StatusCell task={task} showsPreview={!areAllPreviews(tasks)} />
  )),
  column('prompt', { title: 'Prompt', ...fillWidth, phone: 'title' }, (task) => (
    <Group gap="sm" wrap="nowrap">
      <Poster task={task} />
      <Text fz="sm" truncate title={task.prompt}>
        {task.prompt}
      </Text>
    </Group>
  )),
  column('model', 'Model', ({ model }) => <ModelName name={model} />),
  column(
    'type',
    { title: 'Type', phone: 'hidden' },
    ({ generation_type: type }) => generationTypeLabels[type],
  ),
  column(
    'size',
    'Output',
    ({ resolution, duration: seconds }) =>
      `${resolution}, ${seconds < 0 ? 'edited' : `${seconds} s`}`,
  ),
  column('credits', { title: 'Credits', ...atRight }, ({ credits, billing_status: billing }) => (
    <Text fz="sm" {...(billing === 'refund_failed' ? { c: 'red' } : {})}>
      <Credits amount={credits} />{' '}
      <Text span c="dimmed" inherit>
        {statusLabels[billing].toLowerCase()}
      </Text>
    </Text>
  )),
  ...(tasks.some(reasonOf) ? [column('reason', 'Reason', reasonOf)] : []),
  timeColumn('created', { title: 'Created', isSortable: true }, (task) => task.created_at),
  column(
    'took',
    { title: 'Total time', ...atRight, phone: 'hidden' },
    ({ created_at, finished_at }) =>
      finished_at === null ? '–' : formatDuration(finished_at - created_at),
  ),
];

/** Shows the account instead of the generation type. */
export const allTasksColumns = (tasks: readonly AdminTask[]): Column<AdminTask>[] => [
  column('account', 'Account', ({ account_id }) => <AccountLink id={account_id} />),
  ...taskColumns(tasks).filter(({ accessor }) => accessor !== 'type'),
];

function StatusCell(props: { readonly task: AdminTask; readonly showsPreview: boolean }) {
  const { task, showsPreview } = props;
  return (
    <Stack gap={4}>
      <Group gap={4} wrap="nowrap">
        <StatusBadge status={task.status} failedReason={task.failed_reason} />
        {showsPreview ? <PreviewBadge task={task} /> : null}
      </Group>
      {task.status !== 'generating' || task.progress === null ? null : (
        <Progress size={3} value={Math.round(task.progress * 100)} aria-label="Progress" />
      )}
    </Stack>
  );
}
