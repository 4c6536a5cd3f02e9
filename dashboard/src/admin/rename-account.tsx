/** Renames an account. */
import { Modal, Stack, TextInput } from '@mantine/core';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { SubmitRow } from '../components/submit-row.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';

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
  const { form, error, onSubmit } = useApiForm({
    initialValues: { name: account.name },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
    async send({ name }) {
      await post(`/admin/accounts/${account.id}/name`, { name: name.trim() });
      toast('Account renamed');
      await queryClient.invalidateQueries({ queryKey: keys.account(account.id) });
      await queryClient.invalidateQueries({ queryKey: keys.adminPart('accounts') });
      await queryClient.invalidateQueries({ queryKey: keys.session });
      onDone();
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Name"
          maxLength={200}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <SubmitRow
          error={error}
          errorTitle="Couldn’t rename the account"
          isPending={form.submitting}
        >
          Rename account
        </SubmitRow>
      </Stack>
    </form>
  );
}
