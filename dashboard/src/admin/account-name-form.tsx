/** The name of an account, for a new account and a rename. */
import { Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { SubmitRow } from '../components/submit-row.tsx';
import { useApiForm } from '../components/use-api-form.ts';

export function AccountNameForm({
  initialName = '',
  description,
  action,
  errorTitle,
  send,
}: {
  readonly initialName?: string;
  readonly description?: string;
  /** The label of the button. */
  readonly action: string;
  readonly errorTitle: string;
  send(name: string): Promise<void>;
}): ReactNode {
  const { form, error, onSubmit } = useApiForm({
    initialValues: { name: initialName },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
    send: ({ name }) => send(name.trim()),
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Name"
          description={description}
          maxLength={200}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <SubmitRow error={error} errorTitle={errorTitle} isPending={form.submitting}>
          {action}
        </SubmitRow>
      </Stack>
    </form>
  );
}
