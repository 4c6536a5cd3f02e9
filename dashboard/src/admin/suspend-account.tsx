/** Suspends and resumes an account, and says on its page that it is suspended. */
import { Alert, Box, Button, Group, Text, Textarea } from '@mantine/core';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import { type ReactNode, useState } from 'react';
import { invalidate, post } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Form } from '../components/form.tsx';
import { Timestamp } from '../components/text.tsx';
import type { AccountFormProps } from './account-cards.tsx';

const refresh = async (id: string) => {
  await invalidate(`/admin/accounts/${id}`, '/admin/accounts');
};

export function SuspendForm({ account, onDone }: AccountFormProps): ReactNode {
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

export function ResumeDialog(props: {
  readonly account: Account;
  readonly opened: boolean;
  onClose(): void;
}): ReactNode {
  const { account } = props;
  const run = async () => {
    await post(`/admin/accounts/${account.id}/resume`);
    toast(`Resumed ${account.name}`);
    await refresh(account.id);
  };
  return (
    <ConfirmDialog
      {...props}
      title="Resume account?"
      action="Resume account"
      nonDestructive
      run={run}
    >
      API keys of {account.name} work again within seconds, and members can create videos.
    </ConfirmDialog>
  );
}

export function SuspendedAlert(props: { readonly account: Account; onResume(): void }): ReactNode {
  const { account, onResume } = props;
  if (account.suspended_at === null || account.closed_at !== null) return null;
  return (
    <Alert color="orange" title="This account is suspended">
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
        <Button size="xs" onClick={onResume}>
          Resume account
        </Button>
      </Group>
    </Alert>
  );
}

/** Tells administrators on the account's own pages. */
export function ResumableAlert({ account }: { readonly account: Account }): ReactNode {
  const [isResuming, setResuming] = useState(false);
  return (
    <Box mb="lg">
      <SuspendedAlert account={account} onResume={() => setResuming(true)} />
      <ResumeDialog account={account} opened={isResuming} onClose={() => setResuming(false)} />
    </Box>
  );
}
