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
            done="is closed"
            hint={
              'Its keys are refused at once, and refunds of its running tasks wait for you. This ' +
              'cannot be undone.'
            }
          >
            Every key of {account.name} is refused, for good, and nothing can be booked to it any
            more.
          </EndAction>
        ) : null}
        <EndAction
          account={account}
          action="Erase account"
          path="erase"
          body={{ name: account.name }}
          done="is being erased"
          hint={
            'Closes it, and deletes its people, keys, tasks, deliveries and files. Its ledger ' +
            'and usage stay, without a name. This cannot be undone.'
          }
        >
          Everything of {account.name} is deleted, except its ledger and usage. Export its data
          first if anyone may need it.
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
  /** What the account is then. */
  readonly done: string;
  readonly hint: string;
  readonly children: ReactNode;
};

function EndAction({ account, action, path, body, done, hint, children }: EndActionProps) {
  const [isConfirming, setConfirming] = useState(false);
  const run = async () => {
    await post(`/admin/accounts/${account.id}/${path}`, body);
    toast(`${account.name} ${done}`);
    await queryClient.invalidateQueries({ queryKey: keys.account(account.id) });
    await queryClient.invalidateQueries({ queryKey: keys.adminPart('accounts') });
  };
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text component="h2" fz="md" fw={600}>
          {action.replace(' ', ' the ')}
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
        title={action}
        action={action}
        confirmationText={account.name}
        run={run}
      >
        {children}
      </ConfirmDialog>
    </Group>
  );
}
