/** Closes or erases an account, as an administrator. */
import { Button, Card, Group, Stack, Text } from '@mantine/core';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { toast } from '../components/toast.ts';

export function EndAccount({ account }: { readonly account: Account }): ReactNode {
  if (account.erasure_started_at !== null) return null;
  return (
    <Card withBorder padding="md">
      <Stack gap="md">
        {account.closed_at === null ? (
          <EndAction
            account={account}
            action="Close account"
            path="close"
            done="Closed"
            hint={
              'Keys stop working immediately, and refunds of running tasks will need your ' +
              'review. This can’t be undone.'
            }
          >
            All keys of {account.name} stop working, and no credits can be added. This can’t be
            undone.
          </EndAction>
        ) : null}
        <EndAction
          account={account}
          action="Erase account"
          path="erase"
          body={{ name: account.name }}
          done="Erasing"
          hint={
            'Closes the account and deletes its members, keys, tasks, webhooks and files. Credit ' +
            'history and usage are kept without a name. This can’t be undone.'
          }
        >
          All data of {account.name} will be deleted, except credit history and usage. Export it
          first if anyone may need it. This can’t be undone.
        </EndAction>
      </Stack>
    </Card>
  );
}

type EndActionProps = {
  readonly account: Account;
  readonly action: string;
  /** Below the path of the account. */
  readonly path: string;
  readonly body?: object;
  /** The verb of the message that follows, such as "Closed". */
  readonly done: string;
  readonly hint: string;
  readonly children: ReactNode;
};

function EndAction({ account, action, path, body, done, hint, children }: EndActionProps) {
  const [isConfirming, setConfirming] = useState(false);
  const run = async () => {
    await post(`/admin/accounts/${account.id}/${path}`, body);
    toast(`${done} ${account.name}`);
    await queryClient.invalidateQueries({ queryKey: keys.account(account.id) });
    await queryClient.invalidateQueries({ queryKey: keys.adminPart('accounts') });
  };
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text component="h2" fz="md" fw={600}>
          {action}
        </Text>
        <Text fz="sm" c="dimmed">
          {hint}
        </Text>
      </div>
      <Button color="red" variant="light" flex="none" onClick={() => setConfirming(true)}>
        {action}
      </Button>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={`${action}?`}
        action={action}
        confirmationText={account.name}
        run={run}
      >
        {children}
      </ConfirmDialog>
    </Group>
  );
}
