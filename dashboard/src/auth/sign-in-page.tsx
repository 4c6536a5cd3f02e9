/** Signs in by password or at the OpenID provider, then returns to the page that required it. */
import { Alert, PasswordInput, Text, TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useAsyncAction } from '../components/action.ts';
import { Form } from '../components/form.tsx';
import { TextLink } from '../components/links.tsx';
import { AuthLayout, ContinueWith } from './auth-layout.tsx';
import { useSignInMethods } from './openid-result.ts';
import {
  type FirstStepResponse,
  needsSecondStep,
  SecondStep,
  useCompleteSignIn,
} from './second-step.tsx';

export function SignInPage() {
  const { to, problem } = useSearch({ from: '/sign-in' });
  const completeSignIn = useCompleteSignIn();
  const awaitsAdministrator = useSignInMethods()?.awaits_administrator === true;
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
      {awaitsAdministrator ? (
        <Alert color="accent" title="First time here?">
          Open the one-time link that <code>npm start</code> printed in its terminal. It makes you
          the administrator. Each start prints a new one.
        </Alert>
      ) : null}
      <ContinueWith to={to} problem={problem} />
      <Form submit={submit} action="Sign in" errorTitle="Couldn’t sign in" isWide>
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
      </Form>
    </AuthLayout>
  );
}

/** The email address of a form that begins a sign-in or a password reset. */
function EmailInput(props: { readonly value: string; onChange(value: string): void }) {
  const { value, onChange } = props;
  return (
    <TextInput
      label="Email"
      type="email"
      name="email"
      autoComplete="username"
      required
      withAsterisk={false}
      autoFocus
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** Asks for a password reset link by email. The page says the same for every address. */
export function ForgotPage() {
  const [email, setEmail] = useState('');
  const [sentTo, setSentTo] = useState<string | null>(null);
  const methods = useSignInMethods();
  const submit = useAsyncAction(async () => {
    await post('/session/forgot', { email: email.trim() });
    setSentTo(email.trim());
  });
  const footer = (
    <TextLink to="/sign-in" fz="xs">
      Back to sign in
    </TextLink>
  );
  if (sentTo !== null) {
    return (
      <AuthLayout title="Check your email" footer={footer}>
        <Text fz="sm" role="status">
          If <b>{sentTo}</b> has a login, a link to set a new password is on its way. It works once
          and expires in 24 hours.
        </Text>
      </AuthLayout>
    );
  }
  if (methods?.sends_mail === false) {
    return (
      <AuthLayout title="Reset your password" footer={footer}>
        <Text fz="sm">
          This installation sends no email. Ask an administrator for a link that sets a new
          password: they create it under Administration → People.
        </Text>
        <Text fz="sm" mt="sm">
          If you run this installation, <code>npm start</code> prints a sign-in link while there is
          no administrator. Email needs the setting <code>VIDGEN_SMTP_URL</code>.
        </Text>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout
      title="Reset your password"
      description="Enter your email and we’ll send you a link to set a new password."
      footer={footer}
    >
      <Form submit={submit} action="Send reset link" errorTitle="Couldn’t send the link" isWide>
        <EmailInput value={email} onChange={setEmail} />
      </Form>
    </AuthLayout>
  );
}
