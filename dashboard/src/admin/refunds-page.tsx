/** Refunds that could not be booked: retried or resolved by a person, with a note. */
import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { keys } from '../api/query-client.ts';
import { announce } from '../components/announce.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { useErrand } from '../components/errand.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Credits, credits } from '../components/figures.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { TaskLink } from '../components/task-link.tsx';
import { AccountLink } from './account-link.tsx';

type Outcome = 'refunded' | 'written_off';
type Case = { readonly task: AdminTask; readonly outcome: Outcome };

export function RefundsPage(): ReactNode {
  const [settling, setSettling] = useState<Case | null>(null);
  const list = useCursorList<AdminTask>({
    queryKey: keys.operatorPart('refunds'),
    path: '/admin/tasks',
    query: { refund: 'waiting' },
    refetchMs: 10_000,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Refunds to settle"
        about={
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
        columns={columnsFor(setSettling)}
        rowId={({ id }) => id}
        news={['new refund', 'new refunds']}
        empty={
          <EmptyState title="Nothing waits">
            Every refund was booked. Whatever cannot be booked by itself appears here.
          </EmptyState>
        }
      />
      <Modal
        opened={settling !== null}
        onClose={() => setSettling(null)}
        title={settling?.outcome === 'refunded' ? 'Try the refund again' : 'Resolve with a note'}
      >
        {settling ? <Settling {...settling} onDone={() => setSettling(null)} /> : null}
      </Modal>
    </Stack>
  );
}

function columnsFor(settle: (chosen: Case) => void): Column<AdminTask>[] {
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
      render: ({ account_id }) => <AccountLink id={account_id} withState />,
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
      render: ({ created_at }) => <Moment at={created_at} />,
    },
    {
      accessor: 'actions',
      title: 'Actions',
      fixed: true,
      textAlign: 'right',
      render: (task) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button size="compact-sm" onClick={() => settle({ task, outcome: 'refunded' })}>
            Retry refund
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => settle({ task, outcome: 'written_off' })}
          >
            Resolve with note
          </Button>
        </Group>
      ),
    },
  ];
}

function Settling({ task, outcome, onDone }: Case & { onDone(): void }): ReactNode {
  const client = useQueryClient();
  const [note, setNote] = useState('');
  const {
    isRunning,
    error,
    run: settle,
  } = useErrand(async () => {
    await post(`/admin/tasks/${task.id}/settle-refund`, { outcome, note: note.trim() });
    announce(outcome === 'refunded' ? 'The refund was booked' : 'It was written off');
    await client.invalidateQueries({ queryKey: keys.operatorPart('refunds') });
    await client.invalidateQueries({ queryKey: keys.operatorPart('summary') });
    onDone();
  });
  return (
    <form onSubmit={settle}>
      <Stack gap="md">
        <Text fz="sm">
          {outcome === 'refunded'
            ? `Books ${credits(task.credits)} suspended credits back to the account.`
            : `Leaves the task refund_failed: the ${credits(task.credits)} credits were settled ` +
              'in another way, or are written off.'}
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
        {error ? <ErrorNotice error={error} what="It was not settled" /> : null}
        <Group justify="flex-end">
          <Button type="submit" loading={isRunning} disabled={note.trim() === ''}>
            {outcome === 'refunded' ? 'Retry refund' : 'Resolve'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
