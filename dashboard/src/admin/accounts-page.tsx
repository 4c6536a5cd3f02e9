/** The admin list of accounts. */
import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { type Column, creditCells, timeCells } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { type ListFilters, SearchInput } from '../components/filters.tsx';
import { ListTable } from '../components/list-table.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { AccountStatus } from './account-link.tsx';
import { CreateAccountForm } from './create-account.tsx';

type ListedAccount = ListAccountsResponse['items'][number];

const filters: ListFilters = {
  q: {
    label: 'Search accounts',
    placeholder: 'Name, ID or member',
    Control: SearchInput,
    isText: true,
  },
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

export function AccountsPage(): ReactNode {
  const navigate = useNavigate();
  const open = (id: string) => void navigate({ to: '/operator/accounts/$id', params: { id } });
  const { create } = useSearch({ from: '/signed-in/operator/accounts' });
  const setCreating = (opened: boolean) =>
    void navigate({ to: '.', search: opened ? { create: 'true' } : {}, replace: true });
  const newAccount = (
    <Button leftSection={<PlusIcon aria-hidden />} onClick={() => setCreating(true)}>
      Create account
    </Button>
  );
  return (
    <Stack gap="lg">
      <PageHeader
        title="Accounts"
        description="Each account has its own keys, members, tasks and balances."
        actions={newAccount}
      />
      <ListTable
        label="Accounts"
        things="accounts"
        path="/admin/accounts"
        filters={filters}
        columns={columns}
        onOpen={({ id }) => open(id)}
        exports
        empty={
          <EmptyState title="No accounts yet" action={newAccount}>
            Create one for each customer, team or project you bill.
          </EmptyState>
        }
      />
      <Modal opened={create === 'true'} onClose={() => setCreating(false)} title="Create account">
        <CreateAccountForm />
      </Modal>
    </Stack>
  );
}

const columns: Column<ListedAccount>[] = [
  {
    accessor: 'name',
    title: 'Name',
    isSortable: true,
    render: (account) => (
      <Group gap="xs">
        <Text fz="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {account.name}
        </Text>
        {account.demo ? <Badge color="gray">Demo</Badge> : null}
        <AccountStatus account={account} hideActive />
      </Group>
    ),
  },
  {
    accessor: 'balance',
    title: 'Live available',
    isSortable: true,
    ...creditCells(({ balance }: ListedAccount) => balance.live.available),
  },
  {
    accessor: 'reserved',
    title: 'Live reserved',
    phone: 'hidden',
    ...creditCells(({ balance }: ListedAccount) => balance.live.reserved),
  },
  {
    accessor: 'suspended',
    title: 'In review',
    phone: 'hidden',
    ...creditCells(({ balance }: ListedAccount) => balance.live.suspended),
  },
  {
    accessor: 'test',
    title: 'Test available',
    phone: 'hidden',
    ...creditCells(({ balance }: ListedAccount) => balance.test.available),
  },
  {
    accessor: 'last_task',
    title: 'Last task',
    isSortable: true,
    ...timeCells(({ last_task_at }: ListedAccount) => last_task_at, { fallback: 'Never' }),
  },
  {
    accessor: 'created',
    title: 'Created',
    isSortable: true,
    ...timeCells(({ created_at }: ListedAccount) => created_at),
  },
];
