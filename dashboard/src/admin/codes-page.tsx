/** The admin list of redemption codes. A code is readable only in the dialog that creates it. */
import { ActionIcon, Badge, Button, Modal, Select, Stack, Text, Tooltip } from '@mantine/core';
import { PlusIcon, TrashIcon } from '@radix-ui/react-icons';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { RedemptionCode } from '@vidgen/contract/top-ups.ts';
import { type ReactNode, useState } from 'react';
import { del } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Credits } from '../components/format.tsx';
import { TextLink } from '../components/links.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { codeStatuses } from './codes-search.ts';
import { NewCodes } from './new-codes.tsx';

export function CodesPage(): ReactNode {
  const { status } = useSearch({ from: '/signed-in/operator/codes' });
  const navigate = useNavigate({ from: '/operator/codes' });
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<RedemptionCode | null>(null);
  const list = useCursorList<RedemptionCode>({
    queryKey: keys.adminPart('codes'),
    path: '/admin/redemption-codes',
    query: status ? { status } : {},
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
        filters={
          <Select
            size="xs"
            aria-label="Status"
            placeholder="All codes"
            clearable
            data={codeStatuses.map((value) => ({ value, label: statusBadges[value].label }))}
            value={status ?? null}
            onChange={(chosen) =>
              void navigate({
                search: chosen ? { status: chosen as RedemptionCode['status'] } : {},
                replace: true,
              })
            }
          />
        }
        empty={
          status ? (
            <EmptyState title="No matching codes">
              Try a different status, or clear the filter.
            </EmptyState>
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
      sortBy: ({ amount }) => amount,
      render: ({ amount, mode }) => (
        <Text fz="sm">
          <Credits amount={amount} /> {mode}
        </Text>
      ),
    },
    {
      accessor: 'status',
      title: 'Status',
      sortBy: ({ status }) => status,
      render: ({ status }) => (
        <Badge color={statusBadges[status].color}>{statusBadges[status].label}</Badge>
      ),
    },
    {
      accessor: 'note',
      title: 'Note',
      sortBy: ({ note }) => note,
      render: ({ note }) => <Text fz="sm">{note}</Text>,
    },
    {
      accessor: 'ends',
      title: 'Expires',
      noWrap: true,
      sortBy: ({ expires_at }) => expires_at,
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
          <TextLink to="/operator/accounts/$id" params={{ id: account_id }} fz="sm">
            <Timestamp at={redeemed_at} />
          </TextLink>
        ),
    },
    {
      accessor: 'made',
      title: 'Created',
      noWrap: true,
      sortBy: ({ created_at }) => created_at,
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
      textAlign: 'right',
      render: (code) => (
        <Tooltip label="Revoke">
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={`Revoke the code ending in ${code.last_four}`}
            data-short-label="Revoke"
            disabled={code.status !== 'open'}
            onClick={() => revoke(code)}
          >
            <TrashIcon aria-hidden />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ];
}
