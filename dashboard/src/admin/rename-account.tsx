/** Renames an account. */
import { Modal } from '@mantine/core';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { patch } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { toast } from '../components/toast.ts';
import { AccountNameForm } from './account-name-form.tsx';

export function RenameDialog(props: {
  readonly account: Account;
  readonly opened: boolean;
  onClose(): void;
}): ReactNode {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Rename account">
      <RenameForm account={props.account} onDone={props.onClose} />
    </Modal>
  );
}

function RenameForm({ account, onDone }: { readonly account: Account; onDone(): void }) {
  return (
    <AccountNameForm
      initialName={account.name}
      action="Rename account"
      errorTitle="Couldn’t rename the account"
      send={async (name) => {
        await patch(`/admin/accounts/${account.id}`, { name });
        toast('Account renamed');
        await queryClient.invalidateQueries({ queryKey: keys.account(account.id) });
        await queryClient.invalidateQueries({ queryKey: keys.adminPart('accounts') });
        await queryClient.invalidateQueries({ queryKey: keys.session });
        onDone();
      }}
    />
  );
}
