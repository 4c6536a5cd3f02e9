/** An invitation: whoever is signed in joins as that person, everybody else says who they are. */
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { LinkAnswer, SessionAnswer, UseLinkRequest } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { del, post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { sessionQuery } from '../api/session.ts';
import { useErrand } from '../components/errand.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { placeRefusal, toFirstBad } from '../components/form-errors.ts';
import { useEnter } from './entering.ts';
import { FrontPage } from './front-page.tsx';
import { passwordCharactersMin, WithLink } from './link-form.tsx';

export function JoinPage(): ReactNode {
  return <WithLink>{(link, token) => <Join link={link} token={token} />}</WithLink>;
}

type Invited = { readonly link: LinkAnswer; readonly token: string };

function Join(invited: Invited): ReactNode {
  const { data: session } = useQuery({ ...sessionQuery, retry: false });
  const [title, about] = wordsOf(invited.link);
  return (
    <FrontPage title={title} about={about}>
      {session ? <AsYourself {...invited} session={session} /> : <AsSomebodyNew {...invited} />}
    </FrontPage>
  );
}

function wordsOf({ purpose, account_name, role }: LinkAnswer): [title: string, about: string] {
  return purpose === 'administrator'
    ? ['Become an administrator', 'You will be able to see and do everything in this installation.']
    : [
        `Join ${account_name}`,
        `You are invited as ${role === 'owner' ? 'an owner' : `a ${role}`}.`,
      ];
}

function AsYourself({ token, session }: Invited & { readonly session: SessionAnswer }): ReactNode {
  const enter = useEnter();
  const {
    isRunning,
    error,
    run: join,
  } = useErrand(async () => {
    await enter(await post<SessionAnswer>('/links/use', { token }));
  });
  const leave = async () => {
    await del('/session');
    queryClient.removeQueries({ queryKey: keys.session });
  };
  return (
    <Stack gap="md">
      <Text fz="sm">
        You are signed in as <b>{session.person.name}</b> ({session.person.email}).
      </Text>
      {error ? <ErrorNotice error={error} what="You have not joined" /> : null}
      <Group gap="xs">
        <Button onClick={join} loading={isRunning}>
          Join
        </Button>
        <Button variant="default" onClick={leave}>
          I am somebody else
        </Button>
      </Group>
    </Stack>
  );
}

function AsSomebodyNew({ token }: Invited): ReactNode {
  const enter = useEnter();
  const [isKnown, setKnown] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const form = useForm({
    initialValues: { name: '', email: '', password: '' },
    validate: {
      name: (name) => (isKnown || name.trim() ? null : 'Is required'),
      email: (email) => (/^[^\s@]+@[^\s@]+$/.test(email) ? null : 'Must be an e-mail address'),
      password: (password) =>
        isKnown || password.length >= passwordCharactersMin
          ? null
          : `Must have at least ${passwordCharactersMin} characters`,
    },
  });
  const join = form.onSubmit(async ({ name, email, password }) => {
    setError(null);
    const request: UseLinkRequest = { token, email, password, ...(isKnown ? {} : { name }) };
    try {
      await enter(await post<SessionAnswer>('/links/use', request));
    } catch (trouble) {
      setError(placeRefusal(form, trouble, ['name', 'email', 'password']));
    }
  }, toFirstBad(form));
  return (
    <form onSubmit={join} noValidate>
      <Stack gap="md">
        {isKnown ? null : (
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
          label={isKnown ? 'Password' : 'New password'}
          description={
            isKnown ? undefined : `At least ${passwordCharactersMin} characters of whatever kind`
          }
          autoComplete={isKnown ? 'current-password' : 'new-password'}
          {...form.getInputProps('password')}
        />
        {error ? <ErrorNotice error={error} what="You have not joined" /> : null}
        <Button type="submit" loading={form.submitting} fullWidth>
          Join
        </Button>
        <Button variant="subtle" size="xs" onClick={() => setKnown(!isKnown)}>
          {isKnown ? 'I am new here' : 'I already sign in here with a password'}
        </Button>
      </Stack>
    </form>
  );
}
