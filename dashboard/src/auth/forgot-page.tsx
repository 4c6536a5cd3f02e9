/** Asks for a password reset link by email. The page says the same for every address. */
import { Button, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextLink } from '../components/links.tsx';
import { useAsyncAction } from '../components/use-async-action.ts';
import { AuthLayout } from './auth-layout.tsx';
import { EmailInput } from './email-input.tsx';

export function ForgotPage(): ReactNode {
  const [email, setEmail] = useState('');
  const [sentTo, setSentTo] = useState<string | null>(null);
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
  return (
    <AuthLayout
      title="Reset your password"
      description="Enter your email and we’ll send you a link to set a new password."
      footer={footer}
    >
      <form onSubmit={submit.run}>
        <Stack gap="md">
          <EmailInput value={email} onChange={setEmail} />
          {submit.error ? (
            <ErrorNotice error={submit.error} title="Couldn’t send the link" />
          ) : null}
          <Button type="submit" loading={submit.isPending} fullWidth>
            Send reset link
          </Button>
        </Stack>
      </form>
    </AuthLayout>
  );
}
