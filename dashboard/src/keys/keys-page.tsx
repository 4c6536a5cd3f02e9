/** The API keys of an account. A key is readable only in the dialog that creates it. */
import { Badge, Group, Modal, Text } from '@mantine/core';
import { MixerHorizontalIcon, TrashIcon } from '@radix-ui/react-icons';
import type { ApiKey, CreatedApiKey } from '@vidgen/contract/admin-accounts.ts';
import { permissions } from '@vidgen/contract/models.ts';
import { useState } from 'react';
import { del, invalidate } from '../api/client.ts';
import { isBlocked, useAccount } from '../api/session.ts';
import { toast } from '../components/action.ts';
import { IconAction } from '../components/actions-menu.tsx';
import { useNowMs } from '../components/clock.ts';
import { Code, Copyable } from '../components/code.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { atRight, type Column, column, timeColumn } from '../components/data-table.tsx';
import { TextLink } from '../components/links.tsx';
import { ListTable } from '../components/list-table.tsx';
import { OnceButton } from '../components/once-dialog.tsx';
import { Page } from '../components/page.tsx';
import { EmptyState } from '../components/states.tsx';
import { Credits, formatNumber, Note, Timestamp, toDate } from '../components/text.tsx';
import { KeyForm } from './key-form.tsx';
import { SpendingCapForm, SpendingCapUse } from './spending-cap.tsx';

export function KeysPage() {
  const { id, mode, hasRole, account } = useAccount();
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const [capping, setCapping] = useState<ApiKey | null>(null);
  const closeCap = () => setCapping(null);
  const canEdit = hasRole('developer');
  const refresh = () => invalidate(`/admin/accounts/${id}/keys`);
  const revoke = async (key: ApiKey) => {
    await del(`/admin/keys/${key.id}`);
    toast(`Revoked ${key.name}`);
    await refresh();
  };
  return (
    <Page
      title="API keys"
      description={
        mode === 'live'
          ? 'Live keys generate videos and spend live credits.'
          : 'Test keys return previews and spend test credits only.'
      }
      actions={
        <OnceButton<CreatedApiKey>
          label="Create key"
          urlName="create-key"
          isDisabled={!canEdit || isBlocked(account)}
          title={`Create ${mode} key`}
          form={(show, close) => <KeyForm onClose={close} onCreated={show} />}
          refresh={refresh}
          shownTitle="Save your key"
          warning={
            'Copy this key now. You won’t be able to see it again. ' +
            'Anyone with it can spend your credits.'
          }
          done="I’ve saved it"
        >
          {({ key }) => <Code code={key} language="bash" label="key" wrap />}
        </OnceButton>
      }
    >
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
          <EmptyState title={`No ${mode} keys yet`}>
            Use a key to call the API from your code. You’ll see it only once, when you create it.
          </EmptyState>
        }
      />
      <Modal
        opened={capping !== null}
        onClose={closeCap}
        title={capping ? `Spending cap of ${capping.name}` : 'Spending cap'}
      >
        {capping && <SpendingCapForm apiKey={capping} onClose={closeCap} onSaved={refresh} />}
      </Modal>
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
    </Page>
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
    column('name', { title: 'Name', wraps: true }, (key) => (
      <Text fz="sm" fw={500} td={key.revoked_at === null ? undefined : 'line-through'}>
        {key.name}
      </Text>
    )),
    column('key', 'Key', ({ id, prefix, last_four }) => (
      <Copyable value={id} label="key ID" displayValue={`${prefix}…${last_four}`} />
    )),
    column('state', 'Status', (key) => <KeyState apiKey={key} />),
    column('permissions', { title: 'Permissions', wraps: true }, ({ permissions: granted }) =>
      granted.length === permissions.length ? 'All' : granted.map(permissionLabel).join(', '),
    ),
    column('spend', { title: 'Credits (30 days)', ...atRight }, (key) => (
      <TextLink
        to="/accounts/$account/usage"
        params={{ account: options.account }}
        search={{ mode: key.mode, key_id: key.id }}
        fz="sm"
        aria-label={`Usage of ${key.name}: ${formatNumber(key.credits_30_days)} credits`}
      >
        <Credits amount={key.credits_30_days} />
      </TextLink>
    )),
    column('cap', 'Spending cap', (key) => <SpendingCapUse apiKey={key} />),
    timeColumn('used', 'Last used', ({ last_used_at }) => last_used_at, 'Never'),
    column('created', 'Created', (key) => (
      <>
        <Timestamp at={key.created_at} />
        {key.created_by === null ? null : (
          <Text fz="xs" c="dimmed" maw={160} truncate title={key.created_by}>
            by {key.created_by}
          </Text>
        )}
      </>
    )),
    column('revoke', { title: 'Actions', ...atRight }, (key) =>
      key.revoked_at !== null ? null : (
        <Group justify="flex-end" gap={4} wrap="nowrap">
          {options.canCap ? (
            <IconAction
              label="Set spending cap"
              name={`Set spending cap of ${key.name}`}
              onClick={() => options.onCap(key)}
            >
              <MixerHorizontalIcon aria-hidden />
            </IconAction>
          ) : null}
          <IconAction
            label="Revoke"
            name={`Revoke ${key.name}`}
            color="red"
            isDisabled={!options.canEdit}
            onClick={() => options.onRevoke(key)}
          >
            <TrashIcon aria-hidden />
          </IconAction>
        </Group>
      ),
    ),
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
function KeyState({ apiKey }: { readonly apiKey: ApiKey }) {
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
