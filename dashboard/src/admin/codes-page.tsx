/** The admin list of redemption codes. A code is readable only in the dialog that creates it. */
import { ActionIcon, Badge, Button, Group, Modal, Stack, Text, Tooltip } from '@mantine/core';
import { PlusIcon, TrashIcon } from '@radix-ui/react-icons';
import { useSearch } from '@tanstack/react-router';
import type { RedemptionCode } from '@vidgen/contract/top-ups.ts';
import { type ReactNode, useState } from 'react';
import { del } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { CollapsibleFilters } from '../components/collapsible-filters.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ExportMenu } from '../components/export-menu.tsx';
import { FilterSelect } from '../components/filter-select.tsx';
import { Credits } from '../components/format.tsx';
import { NoMatches } from '../components/no-matches.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SearchInput } from '../components/search-input.tsx';
import { useTableUrlState } from '../components/table-url-state.ts';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { useListSearch } from '../components/use-list-search.ts';
import { AccountLink } from './account-link.tsx';
import { AccountSelect } from './account-select.tsx';
import { type CodesSearch, codeStatuses, codesQueryOf, codesSearch } from './codes-search.ts';
import { NewCodes } from './new-codes.tsx';

export function CodesPage(): ReactNode {
  const search = codesSearch(useSearch({ from: '/signed-in/operator/codes' }));
  const { set, clear } = useListSearch(search, '/operator/codes');
  const { sort } = useTableUrlState();
  const query = codesQueryOf(search, sort);
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<RedemptionCode | null>(null);
  const list = useCursorList<RedemptionCode>({
    queryKey: keys.adminPart('codes'),
    path: '/admin/redemption-codes',
    query,
  });
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.adminPart('codes') });
  const newCodes = (
    <Button leftSection={<PlusIcon aria-hidden />} onClick={() => setCreating(true)}>
      Create codes
    </Button>
  );
  return (
    <Stack gap="lg">
      <PageHeader
        title="Redemption codes"
        description="Each code adds credits to one account, once."
        actions={newCodes}
      />
      <DataTable
        name="codes"
        label="Redemption codes"
        list={list}
        columns={columnsFor(setRevoking)}
        rowId={({ id }) => id}
        filters={<CodeFilters search={search} set={set} />}
        actions={<ExportMenu path="/admin/redemption-codes" query={query} />}
        empty={
          Object.keys(search).length > 0 ? (
            <NoMatches things="codes" clear={clear} />
          ) : (
            <EmptyState title="No codes yet" action={newCodes}>
              Give codes to customers so they can add credits themselves.
            </EmptyState>
          )
        }
      />
      <Modal
        opened={isCreating}
        onClose={() => setCreating(false)}
        title="Create redemption codes"
        size="lg"
        closeOnClickOutside={false}
      >
        <NewCodes onCreated={refresh} onDone={() => setCreating(false)} />
      </Modal>
      <ConfirmDialog
        opened={revoking !== null}
        onClose={() => setRevoking(null)}
        title="Revoke code?"
        action="Revoke code"
        run={async () => {
          await del(`/admin/redemption-codes/${revoking?.id}`);
          toast('Code revoked');
          await refresh();
        }}
      >
        The code ending in {revoking?.last_four} can no longer be redeemed.
      </ConfirmDialog>
    </Stack>
  );
}

function CodeFilters({
  search,
  set,
}: {
  readonly search: CodesSearch;
  set(part: { [Name in keyof CodesSearch]?: CodesSearch[Name] | undefined }): void;
}): ReactNode {
  return (
    <>
      <SearchInput
        label="Search codes"
        placeholder="Note, last four or creator"
        value={search.q}
        onChange={(q) => set({ q })}
      />
      <CollapsibleFilters count={[search.status, search.account].filter(Boolean).length}>
        <FilterSelect
          label="Status"
          placeholder="All codes"
          options={codeStatuses.map((value) => ({ value, label: statusBadges[value].label }))}
          value={search.status}
          onChange={(status) => set({ status })}
        />
        <AccountSelect value={search.account} onChange={(account) => set({ account })} />
      </CollapsibleFilters>
    </>
  );
}

const statusBadges: Readonly<Record<RedemptionCode['status'], { label: string; color: string }>> = {
  open: { label: 'Active', color: 'green' },
  redeemed: { label: 'Redeemed', color: 'blue' },
  expired: { label: 'Expired', color: 'gray' },
  revoked: { label: 'Revoked', color: 'gray' },
};

function columnsFor(revoke: (code: RedemptionCode) => void): Column<RedemptionCode>[] {
  return [
    {
      accessor: 'code',
      title: 'Code',
      fixed: true,
      noWrap: true,
      render: ({ last_four }) => (
        <Text ff="monospace" fz="sm">
          …{last_four}
        </Text>
      ),
    },
    {
      accessor: 'amount',
      title: 'Credits',
      textAlign: 'right',
      noWrap: true,
      fixed: true,
      isSortedByService: true,
      render: ({ amount, mode }) => (
        <Text fz="sm">
          <Credits amount={amount} /> {mode}
        </Text>
      ),
    },
    {
      accessor: 'status',
      title: 'Status',
      render: ({ status }) => (
        <Badge color={statusBadges[status].color}>{statusBadges[status].label}</Badge>
      ),
    },
    {
      accessor: 'note',
      title: 'Note',
      render: ({ note }) => <Text fz="sm">{note}</Text>,
    },
    {
      accessor: 'ends',
      title: 'Expires',
      noWrap: true,
      render: ({ expires_at }) => <Timestamp at={expires_at} fallback="Never" />,
    },
    {
      accessor: 'used',
      title: 'Redeemed',
      noWrap: true,
      render: ({ redeemed_at, account_id }) =>
        account_id === null ? (
          '–'
        ) : (
          <Group gap={6} wrap="nowrap">
            <Timestamp at={redeemed_at} />
            <Text fz="sm" span>
              by
            </Text>
            <AccountLink id={account_id} />
          </Group>
        ),
    },
    {
      accessor: 'created',
      title: 'Created',
      noWrap: true,
      isSortedByService: true,
      render: ({ created_at, created_by }) => (
        <Text fz="sm">
          <Timestamp at={created_at} /> by {created_by}
        </Text>
      ),
    },
    {
      accessor: 'revoke',
      title: 'Actions',
      fixed: true,
      phone: 'corner',
      textAlign: 'right',
      render: (code) =>
        code.status === 'open' ? (
          <Tooltip label="Revoke">
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={`Revoke the code ending in ${code.last_four}`}
              data-short-label="Revoke"
              onClick={() => revoke(code)}
            >
              <TrashIcon aria-hidden />
            </ActionIcon>
          </Tooltip>
        ) : null,
    },
  ];
}
