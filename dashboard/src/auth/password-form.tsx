/** Changes the person's own password, which ends their other sessions. */
import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import type { SessionResponse } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';
import { NewPasswordInput, passwordProblem } from './new-password-input.tsx';

export function PasswordForm(): ReactNode {
  const { person } = useSession();
  const { form, error, onSubmit } = useApiForm({
    initialValues: { current: '', next: '' },
    validate: {
      current: (value) => (value === '' ? 'Enter your current password' : null),
      next: passwordProblem,
    },
    async send({ current, next }) {
      const session = await post<SessionResponse>('/session/password', {
        current_password: current,
        new_password: next,
      });
      queryClient.setQueryData(keys.session, session);
      await queryClient.invalidateQueries({ queryKey: keys.sessions });
      form.reset();
      toast('Password changed. You’ve been signed out on other devices.');
    },
  });
  return (
    <SectionCard title="Password">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <input type="hidden" autoComplete="username" value={person.email} readOnly />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            {...form.getInputProps('current')}
          />
          <NewPasswordInput {...form.getInputProps('next')} />
          {error ? <ErrorNotice error={error} title="Couldn’t change your password" /> : null}
          <Text fz="xs" c="dimmed">
            You’ll be signed out on all other devices.
          </Text>
          <Button type="submit" loading={form.submitting} style={{ alignSelf: 'flex-start' }}>
            Change password
          </Button>
        </Stack>
      </form>
    </SectionCard>
  );
}
