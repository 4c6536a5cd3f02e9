/** A link for a new password: it is set, every old session ends, and the person is signed in. */
import { Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { LinkResponse, SessionResponse } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { applyServerErrors, focusFirstInvalid } from '../components/form-errors.ts';
import { AuthLayout } from './auth-layout.tsx';
import { LinkGate, passwordCharactersMin } from './link-gate.tsx';
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
  const [error, setError] = useState<Error | null>(null);
  const form = useForm({
    initialValues: { password: '' },
    validate: {
      password: (password) =>
        password.length >= passwordCharactersMin
          ? null
          : `Must have at least ${passwordCharactersMin} characters`,
    },
  });
  const submit = form.onSubmit(async ({ password }) => {
    setError(null);
    try {
      await completeSignIn(await post<SessionResponse>('/links/use', { token, password }));
    } catch (cause) {
      setError(applyServerErrors(form, cause, ['password']));
    }
  }, focusFirstInvalid(form));
  return (
    <AuthLayout
      title="A new password"
      description={
        <>
          For <b>{link.email}</b>. You will be signed out everywhere else.
        </>
      }
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <input type="hidden" autoComplete="username" value={link.email ?? ''} readOnly />
          <PasswordInput
            label="New password"
            description={`At least ${passwordCharactersMin} characters of whatever kind`}
            autoComplete="new-password"
            autoFocus
            {...form.getInputProps('password')}
          />
          {error ? <ErrorNotice error={error} title="The password is still the old one" /> : null}
          <Button type="submit" loading={form.submitting} fullWidth>
            Set password and sign in
          </Button>
        </Stack>
      </form>
    </AuthLayout>
  );
}
