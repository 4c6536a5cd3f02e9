/** The admin list of accounts. */
import { Badge, Group, Text } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { useNavigate } from '@tanstack/react-router';
import type { ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import { type Column, column, creditColumn, timeColumn } from '../components/data-table.tsx';
import type { ListFilters } from '../components/filters.tsx';
import { ListTable } from '../components/list-table.tsx';
import { Page } from '../components/page.tsx';
import { DialogButton } from '../components/setting-card.tsx';
import { EmptyState } from '../components/states.tsx';
import { AccountStatus } from './account-link.tsx';
import { CreateAccountForm } from './create-account.tsx';

type ListedAccount = ListAccountsResponse['items'][number];

const filters: ListFilters = {
  q: { label: 'Search accounts', placeholder: 'Name, ID or member', isText: true },
  status: {
    label: 'Status',
    placeholder: 'Any status',
    options: { active: 'Active', suspended: 'Suspended', closed: 'Closed' },
  },
  balance_max: {
    label: 'Live balance',
    placeholder: 'Any balance',
    options: { 0: 'No credits left', 100: '100 or less', 1000: '1,000 or less' },
  },
  has_tasks: {
    label: 'Tasks',
    placeholder: 'With or without tasks',
    width: 176,
    options: { true: 'With tasks', false: 'Without tasks' },
  },
};

export function AccountsPage() {
  const navigate = useNavigate();
  const open = (id: string) => void navigate({ to: '/operator/accounts/$id', params: { id } });
  return (
    <Page
      title="Accounts"
      description="Each account has its own keys, members, tasks and balances."
      actions={
        <DialogButton
          label="Create account"
          urlName="create-account"
          button={{ leftSection: <PlusIcon aria-hidden /> }}
        >
          {() => <CreateAccountForm />}
        </DialogButton>
      }
    >
      <ListTable
        label="Accounts"
        things="accounts"
        path="/admin/accounts"
        filters={filters}
        columns={columns}
        onOpen={({ id }) => open(id)}
        exports
        empty={
          <EmptyState title="No accounts yet">
            Create one for each customer, team or project you bill.
          </EmptyState>
        }
      />
    </Page>
  );
}

const columns: Column<ListedAccount>[] = [
  column('name', { title: 'Name', isSortable: true, wraps: true }, (account) => (
    <Group gap="xs">
      <Text fz="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {account.name}
      </Text>
      {account.demo ? <Badge color="gray">Demo</Badge> : null}
      <AccountStatus account={account} hideActive />
    </Group>
  )),
  creditColumn(
    'balance',
    { title: 'Live available', isSortable: true },
    ({ balance }) => balance.live.available,
  ),
  creditColumn(
    'reserved',
    { title: 'Live reserved', phone: 'hidden' },
    ({ balance }) => balance.live.reserved,
  ),
  creditColumn(
    'suspended',
    { title: 'In review', phone: 'hidden' },
    ({ balance }) => balance.live.suspended,
  ),
  creditColumn(
    'test',
    { title: 'Test available', phone: 'hidden' },
    ({ balance }) => balance.test.available,
  ),
  timeColumn(
    'last_task',
    { title: 'Last task', isSortable: true },
    ({ last_task_at }) => last_task_at,
    'Never',
  ),
  timeColumn('created', { title: 'Created', isSortable: true }, ({ created_at }) => created_at),
];
