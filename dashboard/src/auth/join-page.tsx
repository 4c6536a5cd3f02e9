/** An invitation: whoever is signed in joins as that person, everybody else says who they are. */
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { LinkResponse, SessionResponse, UseLinkRequest } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { del, post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { sessionQuery } from '../api/session.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { applyServerErrors, focusFirstInvalid } from '../components/form-errors.ts';
import { useAsyncAction } from '../components/use-async-action.ts';
import { AuthLayout } from './auth-layout.tsx';
import { LinkGate, passwordCharactersMin } from './link-gate.tsx';
import { useCompleteSignIn } from './use-complete-sign-in.ts';

export function JoinPage(): ReactNode {
  return <LinkGate>{(link, token) => <Join link={link} token={token} />}</LinkGate>;
}

type InvitationProps = { readonly link: LinkResponse; readonly token: string };

function Join(invitation: InvitationProps): ReactNode {
  const { data: session } = useQuery({ ...sessionQuery, retry: false });
  const [title, description] = describeInvitation(invitation.link);
  return (
    <AuthLayout title={title} description={description}>
      {session ? (
        <JoinAsCurrentPerson {...invitation} session={session} />
      ) : (
        <JoinAsNewPerson {...invitation} />
      )}
    </AuthLayout>
  );
}

function describeInvitation({
  purpose,
  account_name,
  role,
}: LinkResponse): [title: string, description: string] {
  return purpose === 'administrator'
    ? ['Become an administrator', 'You will be able to see and do everything in this installation.']
    : [
        `Join ${account_name}`,
        `You are invited as ${role === 'owner' ? 'an owner' : `a ${role}`}.`,
      ];
}

function JoinAsCurrentPerson({
  token,
  session,
}: InvitationProps & { readonly session: SessionResponse }): ReactNode {
  const completeSignIn = useCompleteSignIn();
  const {
    isRunning,
    error,
    run: join,
  } = useAsyncAction(async () => {
    await completeSignIn(await post<SessionResponse>('/links/use', { token }));
  });
  const signOut = async () => {
    await del('/session');
    queryClient.removeQueries({ queryKey: keys.session });
  };
  return (
    <Stack gap="md">
      <Text fz="sm">
        You are signed in as <b>{session.person.name}</b> ({session.person.email}).
      </Text>
      {error ? <ErrorNotice error={error} title="You have not joined" /> : null}
      <Group gap="xs">
        <Button onClick={join} loading={isRunning}>
          Join
        </Button>
        <Button variant="default" onClick={signOut}>
          I am somebody else
        </Button>
      </Group>
    </Stack>
  );
}

function JoinAsNewPerson({ token }: InvitationProps): ReactNode {
  const completeSignIn = useCompleteSignIn();
  const [isExistingPerson, setExistingPerson] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const form = useForm({
    initialValues: { name: '', email: '', password: '' },
    validate: {
      name: (name) => (isExistingPerson || name.trim() ? null : 'Is required'),
      email: (email) => (/^[^\s@]+@[^\s@]+$/.test(email) ? null : 'Must be an e-mail address'),
      password: (password) =>
        isExistingPerson || password.length >= passwordCharactersMin
          ? null
          : `Must have at least ${passwordCharactersMin} characters`,
    },
  });
  const join = form.onSubmit(async ({ name, email, password }) => {
    setError(null);
    const request: UseLinkRequest = {
      token,
      email,
      password,
      ...(isExistingPerson ? {} : { name }),
    };
    try {
      await completeSignIn(await post<SessionResponse>('/links/use', request));
    } catch (cause) {
      setError(applyServerErrors(form, cause, ['name', 'email', 'password']));
    }
  }, focusFirstInvalid(form));
  return (
    <form onSubmit={join} noValidate>
      <Stack gap="md">
        {isExistingPerson ? null : (
          <TextInput
            key="name"
            label="Your name"
            autoComplete="name"
            autoFocus
            {...form.getInputProps('name')}
          />
        )}
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label={isExistingPerson ? 'Password' : 'New password'}
          description={
            isExistingPerson
              ? undefined
              : `At least ${passwordCharactersMin} characters of whatever kind`
          }
          autoComplete={isExistingPerson ? 'current-password' : 'new-password'}
          {...form.getInputProps('password')}
        />
        {error ? <ErrorNotice error={error} title="You have not joined" /> : null}
        <Button type="submit" loading={form.submitting} fullWidth>
          Join
        </Button>
        <Button variant="subtle" size="xs" onClick={() => setExistingPerson(!isExistingPerson)}>
          {isExistingPerson ? 'I am new here' : 'I already sign in here with a password'}
        </Button>
      </Stack>
    </form>
  );
}
