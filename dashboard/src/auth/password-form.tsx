/** Another password. Every other session of the person ends with it. */
import { Button, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { SessionResponse } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { focusFirstInvalid } from '../components/form-errors.ts';
import { toast } from '../components/toast.ts';
import { passwordCharactersMin } from './link-gate.tsx';

export function PasswordForm(): ReactNode {
  const { person } = useSession();
  const [error, setError] = useState<Error | null>(null);
  const form = useForm({
    initialValues: { current: '', next: '' },
    validate: {
      current: (value) => (value === '' ? 'Is required' : null),
      next: (value) =>
        value.length >= passwordCharactersMin
          ? null
          : `Must have at least ${passwordCharactersMin} characters`,
    },
  });
  const submit = form.onSubmit(async ({ current, next }) => {
    setError(null);
    try {
      const session = await post<SessionResponse>('/session/password', {
        current_password: current,
        new_password: next,
      });
      queryClient.setQueryData(keys.session, session);
      await queryClient.invalidateQueries({ queryKey: keys.sessions });
      form.reset();
      toast('The password is changed, and your other sessions have ended');
    } catch (cause) {
      setError(cause as Error);
    }
  }, focusFirstInvalid(form));
  return (
    <Paper withBorder p="lg">
      <Title order={2} mb="md">
        Password
      </Title>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <input type="hidden" autoComplete="username" value={person.email} readOnly />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            {...form.getInputProps('current')}
          />
          <PasswordInput
            label="New password"
            description={`At least ${passwordCharactersMin} characters of whatever kind`}
            autoComplete="new-password"
            {...form.getInputProps('next')}
          />
          {error ? <ErrorNotice error={error} title="The password is still the old one" /> : null}
          <Text fz="xs" c="dimmed">
            You stay signed in here and are signed out everywhere else.
          </Text>
          <Button type="submit" loading={form.submitting} style={{ alignSelf: 'flex-start' }}>
            Change password
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}
