/** The ledger entries of an account with the balance after each, newest first. */
import { Select, Text, Tooltip } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ListedLedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { useCursorList } from '../api/cursor-list.ts';
import { keys } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { type Column, DataTable, fillWidth } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ExportMenu } from '../components/export-menu.tsx';
import { Credits } from '../components/format.tsx';
import { TaskLink } from '../components/task-link.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { balanceChange, entryLabels } from './entry-labels.ts';

const ledgerRefetchMs = 10_000;

export function Statement(): ReactNode {
  const { id, mode } = useAccount();
  const { kind } = useSearch({ from: '/signed-in/accounts/$account/credits' });
  const navigate = useNavigate({ from: '/accounts/$account/credits' });
  const query = { mode, ...(kind ? { kind } : {}) };
  const list = useCursorList<ListedLedgerEntry>({
    queryKey: keys.accountPart(id, 'ledger'),
    path: `/admin/accounts/${id}/ledger`,
    query,
    refetchMs: ledgerRefetchMs,
  });
  const choose = (chosen: string | null) =>
    void navigate({
      search: ({ kind: _before, ...rest }) =>
        chosen ? { ...rest, kind: chosen as ListedLedgerEntry['kind'] } : rest,
      replace: true,
    });
  return (
    <DataTable
      name="statement"
      label="Credit history"
      list={list}
      columns={columnsFor(id)}
      rowId={(entry) => entry.id}
      filters={
        <Select
          aria-label="Entry type"
          placeholder="All entries"
          size="xs"
          clearable
          data={Object.entries(entryLabels).map(([value, { title }]) => ({ value, label: title }))}
          value={kind ?? null}
          onChange={choose}
        />
      }
      newLabel={['new entry', 'new entries']}
      actions={<ExportMenu path={`/admin/accounts/${id}/ledger`} query={query} />}
      empty={
        <EmptyState title={kind ? 'No matching entries' : 'No credit history yet'}>
          {kind
            ? 'Try a different type, or clear the filter.'
            : 'Credits you add, spend or get refunded show up here.'}
        </EmptyState>
      }
    />
  );
}

function columnsFor(account: string): Column<ListedLedgerEntry>[] {
  return [
    {
      accessor: 'at',
      title: 'Date',
      noWrap: true,
      sortBy: ({ created_at }) => created_at,
      render: ({ created_at }) => <Timestamp at={created_at} />,
    },
    {
      accessor: 'kind',
      title: 'Type',
      fixed: true,
      sortBy: ({ kind }) => entryLabels[kind].title,
      render: ({ kind }) => (
        <Tooltip label={entryLabels[kind].description}>
          <Text span fz="sm" fw={500}>
            {entryLabels[kind].title}
          </Text>
        </Tooltip>
      ),
    },
    {
      accessor: 'for',
      title: 'Details',
      ...fillWidth,
      render: ({ task_id, note, prompt }) =>
        task_id === null ? (
          <Text fz="sm">{note ?? '–'}</Text>
        ) : (
          <TaskLink account={account} task={task_id} prompt={prompt} />
        ),
    },
    {
      accessor: 'amount',
      title: 'Amount',
      textAlign: 'right',
      noWrap: true,
      sortBy: ({ amount }) => amount,
      render: ({ amount }) => <Credits amount={amount} />,
    },
    {
      accessor: 'change',
      title: 'Change',
      textAlign: 'right',
      noWrap: true,
      sortBy: balanceChange,
      render: (entry) => {
        const change = balanceChange(entry);
        if (change === 0) return <Credits amount={0} c="dimmed" />;
        return (
          <Credits
            amount={change}
            signed
            fw={500}
            {...(change > 0 ? { c: 'var(--mantine-color-green-light-color)' } : {})}
          />
        );
      },
    },
    {
      accessor: 'available',
      title: 'Balance',
      textAlign: 'right',
      noWrap: true,
      fixed: true,
      render: ({ balance_after }) => <Credits amount={balance_after.available} />,
    },
    {
      accessor: 'reserved',
      phone: 'hidden',
      title: 'Reserved',
      textAlign: 'right',
      noWrap: true,
      render: ({ balance_after }) => <Credits amount={balance_after.reserved} />,
    },
    {
      accessor: 'spent',
      phone: 'hidden',
      title: 'Total spent',
      textAlign: 'right',
      noWrap: true,
      render: ({ balance_after }) => <Credits amount={balance_after.spent} />,
    },
  ];
}
