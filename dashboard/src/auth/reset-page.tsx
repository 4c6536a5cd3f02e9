/** Sets a new password with a one-time link, which ends all sessions and starts a new one. */
import { Button, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { LinkResponse } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useApiForm } from '../components/use-api-form.ts';
import { AuthLayout } from './auth-layout.tsx';
import { LinkGate } from './link-gate.tsx';
import { NewPasswordInput, passwordProblem } from './new-password-input.tsx';
import { type FirstStepResponse, needsSecondStep, SecondStep } from './second-step.tsx';
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
  const navigate = useNavigate();
  const [isSecondStep, setSecondStep] = useState(false);
  const { form, error, onSubmit } = useApiForm({
    initialValues: { password: '' },
    validate: { password: passwordProblem },
    async send({ password }) {
      const response = await post<FirstStepResponse>('/links/use', { token, password });
      if (needsSecondStep(response)) setSecondStep(true);
      else await completeSignIn(response);
    },
  });
  // The new password is set by now.
  if (isSecondStep) {
    return (
      <SecondStep
        onSignedIn={(session) => completeSignIn(session)}
        onCancel={() => void navigate({ to: '/sign-in' })}
      />
    );
  }
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
