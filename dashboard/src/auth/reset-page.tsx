/** Sets a new password with a one-time link, which ends all sessions and starts a new one. */
import { Button, Stack } from '@mantine/core';
import type { LinkResponse, SessionResponse } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useApiForm } from '../components/use-api-form.ts';
import { AuthLayout } from './auth-layout.tsx';
import { LinkGate } from './link-gate.tsx';
import { NewPasswordInput, passwordProblem } from './new-password-input.tsx';
import { useCompleteSignIn } from './use-complete-sign-in.ts';

export function ResetPage(): ReactNode {
  return <LinkGate>{(link, token) => <NewPasswordForm link={link} token={token} />}</LinkGate>;
}

function NewPasswordForm({
  link,
  token,
}: {
  readonly link: LinkResponse;
  readonly token: string;
}): ReactNode {
  const completeSignIn = useCompleteSignIn();
  const { form, error, onSubmit } = useApiForm({
    initialValues: { password: '' },
    validate: { password: passwordProblem },
    async send({ password }) {
      await completeSignIn(await post<SessionResponse>('/links/use', { token, password }));
    },
  });
  return (
    <AuthLayout
      title="Set a new password"
      description={
        <>
          For <b>{link.email}</b>. You’ll be signed out on all other devices.
        </>
      }
    >
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <input type="hidden" autoComplete="username" value={link.email ?? ''} readOnly />
          <NewPasswordInput autoFocus {...form.getInputProps('password')} />
          {error ? <ErrorNotice error={error} title="Couldn’t set the password" /> : null}
          <Button type="submit" loading={form.submitting} fullWidth>
            Set password and sign in
          </Button>
        </Stack>
      </form>
    </AuthLayout>
  );
}
