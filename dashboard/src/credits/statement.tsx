/** What changed the credits of an account, one row a task, with the balance after each. */
import { Text, Tooltip } from '@mantine/core';
import type { LedgerEntry, ListedLedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { idleRefetchMs } from '../api/cursor-list.ts';
import { useAccount } from '../api/session.ts';
import {
  atRight,
  type Column,
  column,
  creditColumn,
  fillWidth,
  timeColumn,
} from '../components/data-table.tsx';
import type { ListFilters } from '../components/filters.tsx';
import { ListTable } from '../components/list-table.tsx';
import { EmptyState } from '../components/states.tsx';
import { TaskLink } from '../components/task-badges.tsx';
import { Credits, formatNumber, Note } from '../components/text.tsx';

type EntryLabel = {
  readonly title: string;
  readonly description: string;
  /** Follows the amount of an entry that leaves the balance as it is. */
  readonly note?: string;
  /** 1 adds to the balance, -1 takes from it. */
  readonly sign: 1 | 0 | -1;
};

/** Labels of ledger entry kinds, and their effect on the balance: available and on hold. */
const entryLabels: Readonly<Record<LedgerEntry['kind'], EntryLabel>> = {
  grant: { title: 'Added', description: 'Added to the account.', sign: 1 },
  deduct: { title: 'Removed', description: 'Removed by an administrator.', sign: -1 },
  charge: { title: 'Charged', description: 'Reserved, then charged on completion.', sign: -1 },
  refund: {
    title: 'Refunded',
    description: 'Reserved, then refunded because the task failed.',
    note: 'refunded',
    sign: 0,
  },
  reserve: {
    title: 'Reserved',
    description: 'On hold while the task runs.',
    note: 'on hold',
    sign: 0,
  },
  suspend: {
    title: 'Suspended',
    description: 'The refund needs manual review.',
    note: 'on hold',
    sign: 0,
  },
  release: {
    title: 'Released',
    description: 'A pending refund was approved.',
    note: 'refunded',
    sign: 0,
  },
};

const filters: ListFilters = {
  kind: {
    label: 'Entry type',
    placeholder: 'All entries',
    options: Object.fromEntries(
      Object.entries(entryLabels).map(([kind, { title }]) => [kind, title]),
    ),
  },
};

export function Statement() {
  const { id, mode } = useAccount();
  return (
    <ListTable
      label="Credit history"
      things="entries"
      path={`/admin/accounts/${id}/ledger`}
      query={{ mode, by: 'task' }}
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

const columnsFor = (account: string): Column<ListedLedgerEntry>[] => [
  timeColumn('at', 'Date', ({ created_at }) => created_at),
  column('kind', { title: 'Type', phone: 'title' }, ({ kind }) => (
    <Tooltip label={entryLabels[kind].description}>
      <Text span fz="sm" fw={500}>
        {entryLabels[kind].title}
      </Text>
    </Tooltip>
  )),
  column('for', { title: 'Details', ...fillWidth }, ({ task_id, note, prompt }) =>
    task_id === null ? (
      (note ?? '–')
    ) : (
      <TaskLink account={account} task={task_id} prompt={prompt} />
    ),
  ),
  column('amount', { title: 'Amount', ...atRight }, (entry) => <Amount entry={entry} />),
  creditColumn(
    'balance',
    'Balance',
    ({ balance_after: after }) => after.available + after.reserved + after.suspended,
  ),
];

function Amount({ entry: { kind, amount } }: { readonly entry: LedgerEntry }) {
  const { sign, note } = entryLabels[kind];
  if (sign === 0) return <Note>{`${formatNumber(amount)} ${note}`}</Note>;
  const color = sign > 0 ? { c: 'var(--mantine-color-green-light-color)' } : {};
  return <Credits amount={sign * amount} signed fw={500} {...color} />;
}
