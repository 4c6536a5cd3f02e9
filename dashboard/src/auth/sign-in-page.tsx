/** Signs in by password or at the OpenID provider, then returns to the page that required it. */
import { Button, PasswordInput, Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextLink } from '../components/links.tsx';
import { useAsyncAction } from '../components/use-async-action.ts';
import { AuthLayout } from './auth-layout.tsx';
import { ContinueWith } from './continue-with.tsx';
import { EmailInput } from './email-input.tsx';
import { type FirstStepResponse, needsSecondStep, SecondStep } from './second-step.tsx';
import { useCompleteSignIn } from './use-complete-sign-in.ts';

export function SignInPage(): ReactNode {
  const { to, problem } = useSearch({ from: '/sign-in' });
  const completeSignIn = useCompleteSignIn();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');

  const [isSecondStep, setSecondStep] = useState(false);

  const submit = useAsyncAction(async () => {
    const response = await post<FirstStepResponse>('/session', { email, password });
    if (needsSecondStep(response)) setSecondStep(true);
    else await completeSignIn(response, to);
  });

  if (isSecondStep) {
    return (
      <SecondStep
        onSignedIn={(session) => completeSignIn(session, to)}
        onCancel={() => {
          setPassword('');
          setSecondStep(false);
        }}
      />
    );
  }
  return (
    <AuthLayout
      title="Sign in"
      footer={
        <TextLink to="/forgot" fz="xs">
          Forgot password?
        </TextLink>
      }
    >
      <ContinueWith to={to} problem={problem} />
      <form onSubmit={submit.run}>
        <Stack gap="md">
          <EmailInput value={email} onChange={setEmail} />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          {submit.error ? <ErrorNotice error={submit.error} title="Couldn’t sign in" /> : null}
          <Button type="submit" loading={submit.isPending} fullWidth>
            Sign in
          </Button>
        </Stack>
      </form>
    </AuthLayout>
  );
}
