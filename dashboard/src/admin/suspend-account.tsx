/** Suspends and resumes an account, and says on its page that it is suspended. */
import { Alert, Group, Text, Textarea } from '@mantine/core';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import { invalidate, post } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { ConfirmButton } from '../components/confirm-dialog.tsx';
import { Form } from '../components/form.tsx';
import { Timestamp } from '../components/text.tsx';
import type { AccountFormProps } from './account-cards.tsx';

const refresh = async (id: string) => {
  await invalidate(`/admin/accounts/${id}`, '/admin/accounts');
};

export function SuspendForm({ account, onDone }: AccountFormProps) {
  const { form, submit } = useApiForm({
    initialValues: { note: '' },
    validate: { note: (note) => (note.trim() === '' ? 'Enter a reason' : null) },
    async send({ note }) {
      await post(`/admin/accounts/${account.id}/suspend`, { note: note.trim() });
      toast(`Suspended ${account.name}`);
      await refresh(account.id);
      onDone();
    },
  });
  return (
    <Form
      submit={submit}
      action="Suspend account"
      errorTitle="Couldn’t suspend the account"
      isDestructive
      onCancel={onDone}
    >
      <Text fz="sm">
        API keys of {account.name} stop working within seconds, and members can only view. Running
        tasks finish, and their webhooks are sent. You can resume the account at any time.
      </Text>
      <Textarea
        data-autofocus
        label="Reason"
        description="Only administrators see it."
        autosize
        minRows={2}
        maxLength={1000}
        {...form.getInputProps('note')}
      />
    </Form>
  );
}

/** For administrators, who can resume the account. */
export function SuspendedAlert({ account }: { readonly account: Account }) {
  if (account.suspended_at === null || account.closed_at !== null) return null;
  return (
    <Alert color="orange" mb="lg" title="This account is suspended">
      <Group justify="space-between" gap="sm">
        <Text fz="sm" flex="1 1 18rem">
          Suspended <Timestamp at={account.suspended_at} />. API keys don’t work and members can
          only view. Running tasks finish.
          {account.suspension_note === null ? null : (
            <>
              <br />
              Reason: {account.suspension_note}
            </>
          )}
        </Text>
        <ConfirmButton
          label="Resume account"
          button={{ variant: 'filled' }}
          title="Resume account?"
          action="Resume account"
          nonDestructive
          run={async () => {
            await post(`/admin/accounts/${account.id}/resume`);
            toast(`Resumed ${account.name}`);
            await refresh(account.id);
          }}
        >
          {`API keys of ${account.name} work again within seconds, and members can create videos.`}
        </ConfirmButton>
      </Group>
    </Alert>
  );
}
