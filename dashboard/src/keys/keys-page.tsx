/** The API keys of an account. A key is readable only in the dialog that creates it. */
import { ActionIcon, Badge, Button, Group, Stack, Text, Tooltip } from '@mantine/core';
import { MixerHorizontalIcon, PlusIcon, TrashIcon } from '@radix-ui/react-icons';
import type { ApiKey } from '@vidgen/contract/admin-accounts.ts';
import { permissions } from '@vidgen/contract/models.ts';
import { type ReactNode, useState } from 'react';
import { del } from '../api/client.ts';
import { invalidate } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { useNowMs } from '../components/clock.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Copyable } from '../components/copy-button.tsx';
import { type Column, timeCells } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Credits, formatNumber } from '../components/format.tsx';
import { TextLink } from '../components/links.tsx';
import { ListTable } from '../components/list-table.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Note } from '../components/texts.tsx';
import { Timestamp, toDate } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { useUrlDialog } from '../components/url-dialog.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { SpendingCapDialog, SpendingCapUse } from './spending-cap.tsx';

export function KeysPage(): ReactNode {
  const { id, mode, hasRole, account } = useAccount();
  const [isCreating, setCreating] = useUrlDialog('create-key');
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const [capping, setCapping] = useState<ApiKey | null>(null);
  const canEdit = hasRole('developer');
  const isSuspended = (account?.suspended_at ?? null) !== null;
  const refresh = () => invalidate(`/admin/accounts/${id}/keys`);
  const newKey = (
    <Button
      leftSection={<PlusIcon aria-hidden />}
      disabled={!canEdit || isSuspended}
      onClick={() => setCreating(true)}
    >
      Create key
    </Button>
  );
  const revoke = async (key: ApiKey) => {
    await del(`/admin/keys/${key.id}`);
    toast(`Revoked ${key.name}`);
    await refresh();
  };
  return (
    <Stack gap="lg">
      <PageHeader
        title="API keys"
        description={
          mode === 'live'
            ? 'Live keys generate videos and spend live credits.'
            : 'Test keys return previews and spend test credits only.'
        }
        actions={newKey}
      />
      {canEdit ? null : (
        <Note>You have view-only access. Developers and owners can create and revoke keys.</Note>
      )}
      <ListTable
        label="API keys"
        things="keys"
        path={`/admin/accounts/${id}/keys`}
        query={{ mode }}
        columns={columns({
          account: id,
          canEdit,
          canCap: hasRole('owner'),
          onRevoke: setRevoking,
          onCap: setCapping,
        })}
        empty={
          <EmptyState title={`No ${mode} keys yet`} action={newKey}>
            Use a key to call the API from your code. You’ll see it only once, when you create it.
          </EmptyState>
        }
      />
      <NewKeyDialog
        opened={isCreating && canEdit && !isSuspended}
        onClose={() => setCreating(false)}
        account={id}
        mode={mode}
        onCreated={refresh}
      />
      <SpendingCapDialog apiKey={capping} onClose={() => setCapping(null)} onSaved={refresh} />
      <ConfirmDialog
        opened={revoking !== null}
        onClose={() => setRevoking(null)}
        title="Revoke key?"
        action="Revoke key"
        confirmationText={revoking?.name ?? ''}
        run={async () => (revoking ? await revoke(revoking) : undefined)}
      >
        Requests with {revoking?.name} will stop working within seconds. This can’t be undone. Tasks
        already created keep running.
      </ConfirmDialog>
    </Stack>
  );
}

function columns(options: {
  readonly account: string;
  readonly canEdit: boolean;
  readonly canCap: boolean;
  onRevoke(key: ApiKey): void;
  onCap(key: ApiKey): void;
}): Column<ApiKey>[] {
  return [
    {
      accessor: 'name',
      title: 'Name',
      render: (key) => (
        <Text fz="sm" fw={500} td={key.revoked_at === null ? undefined : 'line-through'}>
          {key.name}
        </Text>
      ),
    },
    {
      accessor: 'key',
      title: 'Key',
      noWrap: true,
      render: ({ id, prefix, last_four }) => (
        <Copyable value={id} label="key ID" displayValue={`${prefix}…${last_four}`} />
      ),
    },
    { accessor: 'state', title: 'Status', render: (key) => <KeyState apiKey={key} /> },
    {
      accessor: 'permissions',
      title: 'Permissions',
      render: ({ permissions: granted }) => (
        <Text fz="sm">
          {granted.length === permissions.length ? 'All' : granted.map(permissionLabel).join(', ')}
        </Text>
      ),
    },
    {
      accessor: 'spend',
      title: 'Credits (30 days)',
      textAlign: 'right',
      noWrap: true,
      render: (key) => (
        <TextLink
          to="/accounts/$account/usage"
          params={{ account: options.account }}
          search={{ mode: key.mode, key_id: key.id }}
          fz="sm"
          aria-label={`Usage of ${key.name}: ${formatNumber(key.credits_30_days)} credits`}
        >
          <Credits amount={key.credits_30_days} />
        </TextLink>
      ),
    },
    {
      accessor: 'cap',
      title: 'Spending cap',
      render: (key) => <SpendingCapUse apiKey={key} />,
    },
    {
      accessor: 'used',
      title: 'Last used',
      ...timeCells(({ last_used_at }: ApiKey) => last_used_at, { fallback: 'Never' }),
    },
    {
      accessor: 'created',
      title: 'Created',
      noWrap: true,
      render: (key) => (
        <>
          <Timestamp at={key.created_at} />
          {key.created_by === null ? null : (
            <Text fz="xs" c="dimmed" maw={160} truncate title={key.created_by}>
              by {key.created_by}
            </Text>
          )}
        </>
      ),
    },
    {
      accessor: 'revoke',
      title: 'Actions',
      textAlign: 'right',
      render: (key) =>
        key.revoked_at !== null ? null : (
          <Group justify="flex-end" gap={4} wrap="nowrap">
            {options.canCap ? (
              <Tooltip label="Set spending cap">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Set spending cap of ${key.name}`}
                  data-short-label="Set spending cap"
                  onClick={() => options.onCap(key)}
                >
                  <MixerHorizontalIcon aria-hidden />
                </ActionIcon>
              </Tooltip>
            ) : null}
            <Tooltip label="Revoke">
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={`Revoke ${key.name}`}
                data-short-label="Revoke"
                disabled={!options.canEdit}
                onClick={() => options.onRevoke(key)}
              >
                <TrashIcon aria-hidden />
              </ActionIcon>
            </Tooltip>
          </Group>
        ),
    },
  ];
}

const permissionLabels: Readonly<Record<ApiKey['permissions'][number], string>> = {
  'videos:create': 'Create',
  'tasks:read': 'Read',
  'tasks:cancel': 'Cancel',
  'tasks:delete': 'Delete',
};
const permissionLabel = (permission: ApiKey['permissions'][number]): string =>
  permissionLabels[permission];

/** The state of an API key: active, expired or revoked. */
function KeyState({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  const nowMs = useNowMs();
  const { revoked_at: revokedAt, expires_at: expiresAt } = apiKey;
  if (revokedAt !== null) return <Badge color="gray">Revoked</Badge>;
  if (expiresAt === null) return <Badge color="green">Active</Badge>;
  if (toDate(expiresAt).getTime() <= nowMs) return <Badge color="gray">Expired</Badge>;
  return (
    <Group gap={6} wrap="nowrap">
      <Badge color="green">Active</Badge>
      <Text span fz="xs" c="dimmed">
        expires <Timestamp at={expiresAt} />
      </Text>
    </Group>
  );
}
