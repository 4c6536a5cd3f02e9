/** Closes or erases an account, as an administrator. */
import { Button, Group, Stack, Text } from '@mantine/core';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { toast } from '../components/toast.ts';

type EndKind = 'close' | 'erase';

const ends = {
  close: {
    action: 'Close account',
    done: 'Closed',
    hint:
      'Keys stop working immediately, and refunds of running tasks will need your review. This ' +
      'can’t be undone.',
    warning: 'stop working, and no credits can be added. This can’t be undone.',
  },
  erase: {
    action: 'Erase account',
    done: 'Erasing',
    hint:
      'Closes the account and deletes its members, keys, tasks, webhooks and files. Credit ' +
      'history and usage are kept without a name. This can’t be undone.',
    warning:
      'will be deleted, except credit history and usage. Export it first if anyone may need it. ' +
      'This can’t be undone.',
  },
} as const;

export function EndAccount({
  account,
  onChoose,
}: {
  readonly account: Account;
  onChoose(kind: EndKind): void;
}): ReactNode {
  if (account.erasure_started_at !== null) return null;
  const kinds: readonly EndKind[] = account.closed_at === null ? ['close', 'erase'] : ['erase'];
  return (
    <SectionCard title="Danger zone">
      <Stack gap="md">
        {kinds.map((kind) => (
          <Group key={kind} justify="space-between" gap="sm">
            <Text fz="sm" c="dimmed" flex="1 1 14rem">
              {ends[kind].hint}
            </Text>
            <Button color="red" variant="light" onClick={() => onChoose(kind)}>
              {ends[kind].action}
            </Button>
          </Group>
        ))}
      </Stack>
    </SectionCard>
  );
}

export function EndAccountDialog({
  account,
  kind,
  opened,
  onClose,
}: {
  readonly account: Account;
  readonly kind: EndKind;
  readonly opened: boolean;
  onClose(): void;
}): ReactNode {
  const { action, done, warning } = ends[kind];
  const run = async () => {
    const body = kind === 'erase' ? { name: account.name } : undefined;
    await post(`/admin/accounts/${account.id}/${kind}`, body);
    toast(`${done} ${account.name}`);
    await queryClient.invalidateQueries({ queryKey: keys.account(account.id) });
    await queryClient.invalidateQueries({ queryKey: keys.adminPart('accounts') });
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={`${action}?`}
      action={action}
      confirmationText={account.name}
      run={run}
    >
      {kind === 'close' ? 'All keys' : 'All data'} of {account.name} {warning}
    </ConfirmDialog>
  );
}
