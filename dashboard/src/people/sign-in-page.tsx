/** E-mail and password. Afterwards the person is where they wanted to be. */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import type { SessionAnswer } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { useErrand } from '../components/errand.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useEnter } from './entering.ts';
import { FrontPage } from './front-page.tsx';

export function SignInPage(): ReactNode {
  const { to } = useSearch({ from: '/sign-in' });
  const enter = useEnter();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');

  const {
    isRunning,
    error,
    run: submit,
  } = useErrand(async () => {
    await enter(await post<SessionAnswer>('/session', { email, password }), to);
  });

  return (
    <FrontPage
      title="Sign in"
      below="Forgotten the password? An administrator here can make a link for a new one."
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="E-mail"
            type="email"
            name="email"
            autoComplete="username"
            required
            withAsterisk={false}
            autoFocus
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          {error ? <ErrorNotice error={error} what="You are not signed in" /> : null}
          <Button type="submit" loading={isRunning} fullWidth>
            Sign in
          </Button>
        </Stack>
      </form>
    </FrontPage>
  );
}
