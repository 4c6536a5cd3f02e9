/** Suspended refunds, which an admin retries or resolves with a note. */
import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Credits, formatNumber } from '../components/format.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SubmitRow } from '../components/submit-row.tsx';
import { TaskLink } from '../components/task-link.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { useAsyncAction } from '../components/use-async-action.ts';
import { AccountLink } from './account-link.tsx';

type Outcome = 'refunded' | 'written_off';
type PendingRefund = { readonly task: AdminTask; readonly outcome: Outcome };

export function RefundsPage(): ReactNode {
  const [selected, setSelected] = useState<PendingRefund | null>(null);
  const list = useCursorList<AdminTask>({
    queryKey: keys.adminPart('refunds'),
    path: '/admin/tasks',
    query: { refund: 'waiting' },
    refetchMs: 10_000,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Refunds to settle"
        description={
          <>
            Tasks that failed while their credits could not be given back, such as those of a closed
            account. The credits wait, suspended, until you decide.
          </>
        }
      />
      <DataTable
        name="refunds"
        label="Refunds to settle"
        list={list}
        columns={columnsFor(setSelected)}
        rowId={({ id }) => id}
        newLabel={['new refund', 'new refunds']}
        empty={
          <EmptyState title="Nothing waits">
            Every refund was booked. Whatever cannot be booked by itself appears here.
          </EmptyState>
        }
      />
      <Modal
        opened={selected !== null}
        onClose={() => setSelected(null)}
        title={selected?.outcome === 'refunded' ? 'Try the refund again' : 'Resolve with a note'}
      >
        {selected ? <SettleRefundForm {...selected} onDone={() => setSelected(null)} /> : null}
      </Modal>
    </Stack>
  );
}

function columnsFor(onSettle: (refund: PendingRefund) => void): Column<AdminTask>[] {
  return [
    {
      accessor: 'id',
      title: 'Task',
      fixed: true,
      noWrap: true,
      render: ({ id, account_id }) => <TaskLink account={account_id} task={id} />,
    },
    {
      accessor: 'account',
      title: 'Account',
      noWrap: true,
      render: ({ account_id }) => <AccountLink id={account_id} showState />,
    },
    {
      accessor: 'credits',
      title: 'Credits',
      textAlign: 'right',
      noWrap: true,
      sortBy: (task) => task.credits,
      render: ({ credits: amount, mode }) => (
        <Text fz="sm">
          <Credits amount={amount} /> {mode}
        </Text>
      ),
    },
    {
      accessor: 'why',
      title: 'Task failed because',
      sortBy: ({ failed_reason }) => failed_reason,
      render: ({ failed_reason }) => (
        <Text fz="sm">{(failed_reason ?? '').replaceAll('_', ' ')}</Text>
      ),
    },
    {
      accessor: 'created',
      title: 'Created',
      noWrap: true,
      sortBy: ({ id }) => id,
      render: ({ created_at }) => <Timestamp at={created_at} />,
    },
    {
      accessor: 'actions',
      title: 'Actions',
      fixed: true,
      textAlign: 'right',
      render: (task) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button size="compact-sm" onClick={() => onSettle({ task, outcome: 'refunded' })}>
            Retry refund
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onSettle({ task, outcome: 'written_off' })}
          >
            Resolve with note
          </Button>
        </Group>
      ),
    },
  ];
}

function SettleRefundForm({
  task,
  outcome,
  onDone,
}: PendingRefund & { onDone(): void }): ReactNode {
  const [note, setNote] = useState('');
  const settle = useAsyncAction(async () => {
    await post(`/admin/tasks/${task.id}/settle-refund`, { outcome, note: note.trim() });
    toast(outcome === 'refunded' ? 'The refund was booked' : 'It was written off');
    await queryClient.invalidateQueries({ queryKey: keys.adminPart('refunds') });
    await queryClient.invalidateQueries({ queryKey: keys.adminPart('summary') });
    onDone();
  });
  return (
    <form onSubmit={settle.run}>
      <Stack gap="md">
        <Text fz="sm">
          {outcome === 'refunded'
            ? `Books ${formatNumber(task.credits)} suspended credits back to the account.`
            : `Leaves the task refund_failed: the ${formatNumber(task.credits)} credits were ` +
              'settled in another way, or are written off.'}
        </Text>
        <Textarea
          data-autofocus
          label="Note"
          description="Why, for the audit log."
          autosize
          minRows={2}
          maxLength={1000}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
        />
        <SubmitRow
          error={settle.error}
          errorTitle="It was not settled"
          isPending={settle.isPending}
          isDisabled={note.trim() === ''}
        >
          {outcome === 'refunded' ? 'Retry refund' : 'Resolve'}
        </SubmitRow>
      </Stack>
    </form>
  );
}
