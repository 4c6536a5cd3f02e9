/** The admin list of accounts with their balances, and the form for a new account. */
import { Badge, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { useNavigate } from '@tanstack/react-router';
import type { Account, ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { AccountStatus } from '../components/account-status.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Credits } from '../components/format.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SubmitRow } from '../components/submit-row.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { useApiForm } from '../components/use-api-form.ts';

type ListedAccount = ListAccountsResponse['items'][number];

export function AccountsPage(): ReactNode {
  const [isCreating, setCreating] = useState(false);
  const navigate = useNavigate();
  const list = useCursorList<ListedAccount>({
    queryKey: keys.adminPart('accounts'),
    path: '/admin/accounts',
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
        empty={
          <EmptyState title="No accounts yet" action={newAccount}>
            Create one for each customer, team or project you bill.
          </EmptyState>
        }
      />
      <Modal opened={isCreating} onClose={() => setCreating(false)} title="Create account">
        <NewAccountForm onCreated={open} />
      </Modal>
    </Stack>
  );
}

const columns: Column<ListedAccount>[] = [
  {
    accessor: 'name',
    title: 'Name',
    fixed: true,
    sortBy: ({ name }) => name,
    render: (account) => (
      <Group gap="xs">
        <Text fz="sm" fw={500}>
          {account.name}
        </Text>
        {account.demo ? <Badge color="gray">Demo</Badge> : null}
        <AccountStatus account={account} hideActive />
      </Group>
    ),
  },
  {
    accessor: 'live',
    title: 'Live available',
    textAlign: 'right',
    noWrap: true,
    fixed: true,
    sortBy: ({ balance }) => balance.live.available,
    render: ({ balance }) => <Credits amount={balance.live.available} />,
  },
  {
    accessor: 'reserved',
    title: 'Live reserved',
    textAlign: 'right',
    noWrap: true,
    sortBy: ({ balance }) => balance.live.reserved,
    render: ({ balance }) => <Credits amount={balance.live.reserved} />,
  },
  {
    accessor: 'suspended',
    title: 'Live suspended',
    textAlign: 'right',
    noWrap: true,
    sortBy: ({ balance }) => balance.live.suspended,
    render: ({ balance }) => <Credits amount={balance.live.suspended} />,
  },
  {
    accessor: 'test',
    title: 'Test available',
    textAlign: 'right',
    noWrap: true,
    sortBy: ({ balance }) => balance.test.available,
    render: ({ balance }) => <Credits amount={balance.test.available} />,
  },
  {
    accessor: 'created',
    title: 'Created',
    noWrap: true,
    sortBy: ({ created_at }) => created_at,
    render: ({ created_at }) => <Timestamp at={created_at} />,
  },
];

function NewAccountForm({ onCreated }: { onCreated(id: string): void }): ReactNode {
  const { form, error, onSubmit } = useApiForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
    async send({ name }) {
      const { id } = await post<Account>('/admin/accounts', { name: name.trim() });
      await queryClient.invalidateQueries({ queryKey: keys.adminPart('accounts') });
      onCreated(id);
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Name"
          description="New accounts start with 0 credits."
          maxLength={200}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <SubmitRow
          error={error}
          errorTitle="Couldn’t create the account"
          isPending={form.submitting}
        >
          Create account
        </SubmitRow>
      </Stack>
    </form>
  );
}
