/** The ledger entries of an account with the balance after each, newest first. */
import { Text, Tooltip } from '@mantine/core';
import type { LedgerEntry, ListedLedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { idleRefetchMs } from '../api/cursor-list.ts';
import { useAccount } from '../api/session.ts';
import { type Column, creditCells, fillWidth, timeCells } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import type { ListFilters } from '../components/filters.tsx';
import { Credits } from '../components/format.tsx';
import { ListTable } from '../components/list-table.tsx';
import { TaskLink } from '../components/task-badges.tsx';

type EntryLabel = {
  readonly title: string;
  readonly description: string;
  /** 1 adds to the available balance, -1 takes from it. */
  readonly sign: 1 | 0 | -1;
};

/** Labels of ledger entry kinds, and their effect on the available balance. */
const entryLabels: Readonly<Record<LedgerEntry['kind'], EntryLabel>> = {
  grant: { title: 'Added', description: 'Added to the account.', sign: 1 },
  deduct: { title: 'Removed', description: 'Removed by an administrator.', sign: -1 },
  reserve: { title: 'Reserved', description: 'Reserved while the task runs.', sign: -1 },
  charge: { title: 'Charged', description: 'Charged when the task completed.', sign: 0 },
  refund: {
    title: 'Refunded',
    description: 'Refunded because the task failed.',
    sign: 1,
  },
  suspend: {
    title: 'Suspended',
    description: 'The refund needs manual review.',
    sign: 0,
  },
  release: { title: 'Released', description: 'A pending refund was approved.', sign: 1 },
};

const balanceChange = ({ kind, amount }: Pick<LedgerEntry, 'kind' | 'amount'>): number =>
  entryLabels[kind].sign * amount;

const filters: ListFilters = {
  kind: {
    label: 'Entry type',
    placeholder: 'All entries',
    options: Object.fromEntries(
      Object.entries(entryLabels).map(([kind, { title }]) => [kind, title]),
    ),
  },
};

export function Statement(): ReactNode {
  const { id, mode } = useAccount();
  return (
    <ListTable
      label="Credit history"
      things="entries"
      path={`/admin/accounts/${id}/ledger`}
      query={{ mode }}
      refetchMs={() => idleRefetchMs}
      filters={filters}
      columns={columnsFor(id)}
      newLabel={['new entry', 'new entries']}
      exports
      empty={
        <EmptyState title="No credit history yet">
          Credits you add, spend or get refunded show up here.
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
      ...timeCells(({ created_at }: ListedLedgerEntry) => created_at),
    },
    {
      accessor: 'kind',
      title: 'Type',
      phone: 'title',
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
      ...creditCells(({ amount }: ListedLedgerEntry) => amount),
    },
    {
      accessor: 'change',
      title: 'Change',
      textAlign: 'right',
      noWrap: true,
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
      ...creditCells(({ balance_after }: ListedLedgerEntry) => balance_after.available),
    },
    {
      accessor: 'reserved',
      phone: 'hidden',
      title: 'Reserved',
      ...creditCells(({ balance_after }: ListedLedgerEntry) => balance_after.reserved),
    },
    {
      accessor: 'spent',
      phone: 'hidden',
      title: 'Total spent',
      ...creditCells(({ balance_after }: ListedLedgerEntry) => balance_after.spent),
    },
  ];
}
