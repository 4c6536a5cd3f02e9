/** Validates a one-time link before the page below asks for any input. */
import { Button, Group, Loader, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { LinkResponse, SessionResponse, UseLinkRequest } from '@vidgen/contract/people.ts';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { del, post, queryClient } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { useAsyncAction } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { Form } from '../components/form.tsx';
import { LinkButton } from '../components/links.tsx';
import { ErrorNotice, useDelayed } from '../components/states.tsx';
import { AuthLayout, ContinueWith } from './auth-layout.tsx';
import { confirmations, type OpenIdResult, openIdMessage } from './openid-result.ts';
import {
  type FirstStepResponse,
  linkToken,
  NewPasswordInput,
  needsSecondStep,
  passwordProblem,
  SecondStep,
  useCompleteSignIn,
} from './second-step.tsx';

function LinkGate(props: { children(link: LinkResponse, token: string): ReactNode }) {
  const { children } = props;
  const token = linkToken();
  const { data, error, isPending } = useQuery({
    queryKey: ['link', token],
    queryFn: () => post<LinkResponse>('/links/look', { token }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isLate = useDelayed(isPending && token !== '');
  if (data) return children(data, token);
  if (isPending && token !== '') {
    return (
      <AuthLayout title="Checking your link…">
        {isLate ? <Loader aria-label="Loading" /> : null}
      </AuthLayout>
    );
  }
  // Only then a new link helps; a deactivated person needs an invite.
  const isGone = !error || (error instanceof ApiError && error.code === 'not_found');
  return (
    <AuthLayout title="This link isn’t valid">
      <Stack gap="md">
        {isGone ? (
          <Text fz="sm">
            Links can be used once and expire. Ask the person who sent it for a new one.
          </Text>
        ) : null}
        <ErrorNotice error={error} title={isGone ? 'Details' : 'Couldn’t open the link'} />
        <LinkButton to="/sign-in" variant="default">
          Sign in instead
        </LinkButton>
      </Stack>
    </AuthLayout>
  );
}

/** Accepts an invitation, as the signed-in person, as another existing person or as a new one. */
export function JoinPage() {
  return <LinkGate>{(link, token) => <Join link={link} token={token} />}</LinkGate>;
}

type InvitationProps = { readonly link: LinkResponse; readonly token: string };

function Join(invitation: InvitationProps) {
  const { data: session } = useQuery({ ...sessionQuery, retry: false });
  const { problem } = useSearch({ from: '/join' });
  const [isSecondStep, setSecondStep] = useState(false);
  const [title, description] = describeInvitation(invitation.link);
  // The invitation is accepted after it, as the person who is signed in then.
  if (isSecondStep) {
    return (
      <SecondStep
        onSignedIn={async (signedIn) => {
          queryClient.setQueryData(sessionQuery.queryKey, signedIn);
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

function describeInvitation(props: LinkResponse): [title: string, description: string] {
  const { purpose, account_name, role } = props;
  return purpose === 'administrator'
    ? ['Become an administrator', 'You’ll have full access to this vidgen server.']
    : [
        `Join ${account_name}`,
        `You’ve been invited as ${role === 'owner' ? 'an owner' : `a ${role}`}.`,
      ];
}

function JoinAsCurrentPerson(props: InvitationProps & { readonly session: SessionResponse }) {
  const { token, session } = props;
  const completeSignIn = useCompleteSignIn();
  const join = useAsyncAction(async () => {
    await completeSignIn(await post<SessionResponse>('/links/use', { token }));
  });
  const signOut = async () => {
    await del('/session');
    queryClient.removeQueries({ queryKey: sessionQuery.queryKey });
  };
  return (
    <Stack gap="md">
      <Text fz="sm">
        You’re signed in as <b>{session.person.name}</b> ({session.person.email}).
      </Text>
      <ErrorNotice error={join.error} title="Couldn’t join" />
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

function JoinAsNewPerson(props: InvitationProps & { onSecondStep(): void }) {
  const { link, token, onSecondStep } = props;
  const completeSignIn = useCompleteSignIn();
  const [isExistingPerson, setExistingPerson] = useState(false);
  const { form, submit } = useApiForm({
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
    <Form
      submit={submit}
      action="Join"
      errorTitle="Couldn’t join"
      isWide
      footer={
        <Button variant="subtle" size="xs" onClick={() => setExistingPerson(!isExistingPerson)}>
          {isExistingPerson ? 'Create a new login' : 'I already have a login'}
        </Button>
      }
    >
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
    </Form>
  );
}

/** Sets a new password with a one-time link, which ends all sessions and starts a new one. */
export function ResetPage() {
  return <LinkGate>{(link, token) => <NewPasswordForm link={link} token={token} />}</LinkGate>;
}

function NewPasswordForm(props: { readonly link: LinkResponse; readonly token: string }) {
  const { link, token } = props;
  const completeSignIn = useCompleteSignIn();
  const navigate = useNavigate();
  const [isSecondStep, setSecondStep] = useState(false);
  const { form, submit } = useApiForm({
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
      <Form
        submit={submit}
        action="Set password and sign in"
        errorTitle="Couldn’t set the password"
        isWide
      >
        <input type="hidden" autoComplete="username" value={link.email ?? ''} readOnly />
        <NewPasswordInput autoFocus {...form.getInputProps('password')} />
      </Form>
    </AuthLayout>
  );
}

/** The window of a confirmation, when it returns from the OpenID provider. It closes itself. */
export function ConfirmedPage() {
  const { problem } = useSearch({ from: '/confirmed' });
  const message = openIdMessage(problem);
  useEffect(() => {
    const channel = new BroadcastChannel(confirmations);
    channel.postMessage({ problem: message } satisfies OpenIdResult);
    channel.close();
    window.close();
  }, [message]);
  return (
    <AuthLayout title={message === null ? 'Confirmed' : 'Not confirmed'}>
      <Text fz="sm" role="status">
        {message === null ? '' : `${message} `}You can close this window.
      </Text>
    </AuthLayout>
  );
}
