/** Another password. Every other session of the person ends with it. */
import { Button, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { SessionAnswer } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { announce } from '../components/announce.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { toFirstBad } from '../components/form-errors.ts';
import { passwordCharactersMin } from './link-form.tsx';

export function PasswordForm(): ReactNode {
  const { person } = useSession();
  const [error, setError] = useState<Error | null>(null);
  const form = useForm({
    initialValues: { current: '', next: '' },
    validate: {
      current: (words) => (words === '' ? 'Is required' : null),
      next: (words) =>
        words.length >= passwordCharactersMin
          ? null
          : `Must have at least ${passwordCharactersMin} characters`,
    },
  });
  const submit = form.onSubmit(async ({ current, next }) => {
    setError(null);
    try {
      const session = await post<SessionAnswer>('/session/password', {
        current_password: current,
        new_password: next,
      });
      queryClient.setQueryData(keys.session, session);
      await queryClient.invalidateQueries({ queryKey: keys.sessions });
      form.reset();
      announce('The password is changed, and your other sessions have ended');
    } catch (trouble) {
      setError(trouble as Error);
    }
  }, toFirstBad(form));
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
          {error ? <ErrorNotice error={error} what="The password is still the old one" /> : null}
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
