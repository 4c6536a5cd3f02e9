/** Accepts an invitation, as the signed-in person, as another existing person or as a new one. */
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { LinkResponse, SessionResponse, UseLinkRequest } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { del, post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { sessionQuery } from '../api/session.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useApiForm } from '../components/use-api-form.ts';
import { useAsyncAction } from '../components/use-async-action.ts';
import { AuthLayout } from './auth-layout.tsx';
import { ContinueWith } from './continue-with.tsx';
import { LinkGate } from './link-gate.tsx';
import { NewPasswordInput, passwordProblem } from './new-password-input.tsx';
import { type FirstStepResponse, needsSecondStep, SecondStep } from './second-step.tsx';
import { useCompleteSignIn } from './use-complete-sign-in.ts';

export function JoinPage(): ReactNode {
  return <LinkGate>{(link, token) => <Join link={link} token={token} />}</LinkGate>;
}

type InvitationProps = { readonly link: LinkResponse; readonly token: string };

function Join(invitation: InvitationProps): ReactNode {
  const { data: session } = useQuery({ ...sessionQuery, retry: false });
  const { problem } = useSearch({ from: '/join' });
  const [isSecondStep, setSecondStep] = useState(false);
  const [title, description] = describeInvitation(invitation.link);
  // The invitation is accepted after it, as the person who is signed in then.
  if (isSecondStep) {
    return (
      <SecondStep
        onSignedIn={async (signedIn) => {
          queryClient.setQueryData(keys.session, signedIn);
          setSecondStep(false);
        }}
        onCancel={() => setSecondStep(false)}
      />
    );
  }
  return (
    <AuthLayout title={title} description={description}>
      {session ? (
        <JoinAsCurrentPerson {...invitation} session={session} />
      ) : (
        <>
          <ContinueWith link={invitation.token} problem={problem} />
          <JoinAsNewPerson {...invitation} onSecondStep={() => setSecondStep(true)} />
        </>
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
    ? ['Become an administrator', 'You’ll have full access to this vidgen server.']
    : [
        `Join ${account_name}`,
        `You’ve been invited as ${role === 'owner' ? 'an owner' : `a ${role}`}.`,
      ];
}

function JoinAsCurrentPerson({
  token,
  session,
}: InvitationProps & { readonly session: SessionResponse }): ReactNode {
  const completeSignIn = useCompleteSignIn();
  const join = useAsyncAction(async () => {
    await completeSignIn(await post<SessionResponse>('/links/use', { token }));
  });
  const signOut = async () => {
    await del('/session');
    queryClient.removeQueries({ queryKey: keys.session });
  };
  return (
    <Stack gap="md">
      <Text fz="sm">
        You’re signed in as <b>{session.person.name}</b> ({session.person.email}).
      </Text>
      {join.error ? <ErrorNotice error={join.error} title="Couldn’t join" /> : null}
      <Group gap="xs">
        <Button onClick={join.run} loading={join.isPending}>
          Join
        </Button>
        <Button variant="default" onClick={signOut}>
          Use a different account
        </Button>
      </Group>
    </Stack>
  );
}

function JoinAsNewPerson({
  link,
  token,
  onSecondStep,
}: InvitationProps & { onSecondStep(): void }): ReactNode {
  const completeSignIn = useCompleteSignIn();
  const [isExistingPerson, setExistingPerson] = useState(false);
  const { form, error, onSubmit } = useApiForm({
    initialValues: { name: '', email: link.email ?? '', password: '' },
    validate: {
      name: (name) => (isExistingPerson || name.trim() ? null : 'Enter your name'),
      email: (email) => (/^[^\s@]+@[^\s@]+$/.test(email) ? null : 'Enter a valid email address'),
      password: (password) => (isExistingPerson ? null : passwordProblem(password)),
    },
    async send({ name, email, password }) {
      const request: UseLinkRequest = {
        token,
        email,
        password,
        ...(isExistingPerson ? {} : { name }),
      };
      const response = await post<FirstStepResponse>('/links/use', request);
      if (needsSecondStep(response)) onSecondStep();
      else await completeSignIn(response);
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate>
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
          label="Email"
          type="email"
          autoComplete="username"
          {...form.getInputProps('email')}
        />
        {isExistingPerson ? (
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
        ) : (
          <NewPasswordInput {...form.getInputProps('password')} />
        )}
        {error ? <ErrorNotice error={error} title="Couldn’t join" /> : null}
        <Button type="submit" loading={form.submitting} fullWidth>
          Join
        </Button>
        <Button variant="subtle" size="xs" onClick={() => setExistingPerson(!isExistingPerson)}>
          {isExistingPerson ? 'Create a new login' : 'I already have a login'}
        </Button>
      </Stack>
    </form>
  );
}
