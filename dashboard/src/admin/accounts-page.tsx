/** The admin list of accounts: searched, filtered and sorted by the service, as the URL says. */
import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Account, ListedAccount } from '@vidgen/contract/admin-accounts.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { AccountStatus } from '../components/account-status.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ExportMenu } from '../components/export-menu.tsx';
import { Credits } from '../components/format.tsx';
import { NoMatches } from '../components/no-matches.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { useTableUrlState } from '../components/table-url-state.ts';
import { Timestamp } from '../components/timestamp.tsx';
import { useListSearch } from '../components/use-list-search.ts';
import { AccountFilters } from './account-filters.tsx';
import { AccountNameForm } from './account-name-form.tsx';
import { accountsQueryOf, accountsSearch } from './accounts-search.ts';

export function AccountsPage(): ReactNode {
  const [isCreating, setCreating] = useState(false);
  const navigate = useNavigate();
  const search = accountsSearch(useSearch({ from: '/signed-in/operator/accounts' }));
  const { set, clear } = useListSearch(search, '/operator/accounts');
  const { sort } = useTableUrlState();
  const query = accountsQueryOf(search, sort);
  const list = useCursorList<ListedAccount>({
    queryKey: keys.adminPart('accounts', 'list'),
    path: '/admin/accounts',
    query,
  });
  const open = (id: string) => void navigate({ to: '/operator/accounts/$id', params: { id } });
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
      <DataTable
        name="accounts"
        label="Accounts"
        list={list}
        columns={columns}
        rowId={({ id }) => id}
        onOpen={({ id }) => open(id)}
        filters={<AccountFilters search={search} set={set} clear={clear} />}
        actions={<ExportMenu path="/admin/accounts" query={query} />}
        empty={
          Object.keys(search).length > 0 ? (
            <NoMatches things="accounts" clear={clear} />
          ) : (
            <EmptyState title="No accounts yet" action={newAccount}>
              Create one for each customer, team or project you bill.
            </EmptyState>
          )
        }
      />
      <Modal opened={isCreating} onClose={() => setCreating(false)} title="Create account">
        <NewAccountForm onCreated={open} />
      </Modal>
    </Stack>
  );
}

function AccountName({ account }: { readonly account: ListedAccount }): ReactNode {
  return (
    <Group gap="xs">
      <Text fz="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {account.name}
      </Text>
      {account.demo ? <Badge color="gray">Demo</Badge> : null}
      <AccountStatus account={account} hideActive />
    </Group>
  );
}

/** Zeros are faint, so that the others stand out. */
function Amount({ of }: { readonly of: number }): ReactNode {
  return <Credits amount={of} {...(of === 0 ? { c: 'dimmed' } : {})} />;
}

const columns: Column<ListedAccount>[] = [
  {
    accessor: 'name',
    title: 'Name',
    fixed: true,
    isSortedByService: true,
    render: (account) => <AccountName account={account} />,
  },
  {
    accessor: 'balance',
    title: 'Live available',
    textAlign: 'right',
    noWrap: true,
    fixed: true,
    isSortedByService: true,
    render: ({ balance }) => <Credits amount={balance.live.available} />,
  },
  {
    accessor: 'reserved',
    title: 'Live reserved',
    phone: 'hidden',
    textAlign: 'right',
    noWrap: true,
    render: ({ balance }) => <Amount of={balance.live.reserved} />,
  },
  {
    accessor: 'suspended',
    title: 'In review',
    phone: 'hidden',
    textAlign: 'right',
    noWrap: true,
    render: ({ balance }) => <Amount of={balance.live.suspended} />,
  },
  {
    accessor: 'test',
    title: 'Test available',
    phone: 'hidden',
    textAlign: 'right',
    noWrap: true,
    render: ({ balance }) => <Amount of={balance.test.available} />,
  },
  {
    accessor: 'last_task',
    title: 'Last task',
    noWrap: true,
    isSortedByService: true,
    render: ({ last_task_at }) => <Timestamp at={last_task_at} fallback="Never" />,
  },
  {
    accessor: 'created',
    title: 'Created',
    noWrap: true,
    isSortedByService: true,
    render: ({ created_at }) => <Timestamp at={created_at} />,
  },
];

function NewAccountForm({ onCreated }: { onCreated(id: string): void }): ReactNode {
  return (
    <AccountNameForm
      description="New accounts start with 0 credits."
      action="Create account"
      errorTitle="Couldn’t create the account"
      send={async (name) => {
        const { id } = await post<Account>('/admin/accounts', { name });
        await queryClient.invalidateQueries({ queryKey: keys.adminPart('accounts') });
        onCreated(id);
      }}
    />
  );
}
