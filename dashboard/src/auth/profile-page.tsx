/** The person's profile: name, ways to sign in, sessions. */
import {
  Badge,
  Box,
  Button,
  Group,
  PasswordInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type {
  ListedSession,
  ListSessionsResponse,
  SessionResponse,
} from '@vidgen/contract/people.ts';
import type { SecurityResponse } from '@vidgen/contract/sign-in.ts';
import { del, invalidate, post, queryClient, resource } from '../api/client.ts';
import { sessionQuery, useSession } from '../api/session.ts';
import { toast } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { Form } from '../components/form.tsx';
import { Page, SectionCard } from '../components/page.tsx';
import { ActionButton } from '../components/setting-card.tsx';
import { ErrorNotice, Loaded } from '../components/states.tsx';
import { Label, SmallNote, Timestamp } from '../components/text.tsx';
import { LinkedSignIn, SecondFactor } from './second-factor.tsx';
import { NewPasswordInput, passwordProblem } from './second-step.tsx';

export function ProfilePage() {
  const { person } = useSession();
  return (
    <Page title="Profile" description="Your name, how you sign in, and active sessions.">
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Stack gap="lg">
          <SectionCard title="Your details">
            <Stack gap="md">
              <NameForm />
              <Stack gap={6}>
                <Label>Email</Label>
                <Group gap="xs">
                  <Text fz="sm">{person.email}</Text>
                  {person.administrator ? <Badge>Administrator</Badge> : null}
                </Group>
              </Stack>
            </Stack>
          </SectionCard>
          <Sessions />
        </Stack>
        <Stack gap="lg">
          <SignIn />
        </Stack>
      </SimpleGrid>
    </Page>
  );
}

function SignIn() {
  const query = useQuery(resource<SecurityResponse>('/session/security'));
  return (
    <Loaded query={query} what="your sign-in" height={320}>
      {(security) => (
        <>
          {security.has_password ? <PasswordForm /> : null}
          <SecondFactor security={security} />
          <LinkedSignIn security={security} />
        </>
      )}
    </Loaded>
  );
}

const nameCharactersMax = 200;

/** Changes the person's own name. */
function NameForm() {
  const { person } = useSession();
  const { form, submit } = useApiForm({
    initialValues: { name: person.name },
    validate: { name: (value) => (value.trim() === '' ? 'Enter your name' : null) },
    async send({ name }) {
      const session = await post<SessionResponse>('/session/name', { name: name.trim() });
      queryClient.setQueryData(sessionQuery.queryKey, session);
      form.setValues({ name: session.person.name });
      toast('Name updated');
    },
  });
  return (
    <form onSubmit={submit.run} noValidate>
      <TextInput
        label="Name"
        description="Shown to other members"
        autoComplete="name"
        maxLength={nameCharactersMax}
        inputContainer={(input) => (
          <Group gap="xs" wrap="nowrap" align="flex-end">
            <Box flex={1}>{input}</Box>
            <Button
              type="submit"
              variant="default"
              loading={form.submitting}
              disabled={form.values.name.trim() === person.name}
            >
              Save
            </Button>
          </Group>
        )}
        {...form.getInputProps('name')}
      />
      <ErrorNotice error={submit.error} title="Couldn’t update your name" />
    </form>
  );
}

/** Changes the person's own password, which ends their other sessions. */
function PasswordForm() {
  const { person } = useSession();
  const { form, submit } = useApiForm({
    initialValues: { current: '', next: '' },
    validate: {
      current: (value) => (value === '' ? 'Enter your current password' : null),
      next: passwordProblem,
    },
    async send({ current, next }) {
      const session = await post<SessionResponse>('/session/password', {
        current_password: current,
        new_password: next,
      });
      queryClient.setQueryData(sessionQuery.queryKey, session);
      await invalidate('/sessions');
      form.reset();
      toast('Password changed. You’ve been signed out on other devices.');
    },
  });
  return (
    <SectionCard title="Password">
      <Form submit={submit} action="Change password" errorTitle="Couldn’t change your password">
        <input type="hidden" autoComplete="username" value={person.email} readOnly />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          {...form.getInputProps('current')}
        />
        <NewPasswordInput {...form.getInputProps('next')} />
        <SmallNote>You’ll be signed out on all other devices.</SmallNote>
      </Form>
    </SectionCard>
  );
}

/** The person's sessions, with a button to end each of the others. */
function Sessions() {
  const query = useQuery(resource<ListSessionsResponse>('/sessions'));
  return (
    <SectionCard title="Sessions">
      <Loaded query={query} what="sessions" height={72}>
        {({ items }) => (
          <Stack gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
            {items.map((session) => (
              <SessionItem key={session.id} session={session} />
            ))}
          </Stack>
        )}
      </Loaded>
    </SectionCard>
  );
}

function SessionItem({ session }: { readonly session: ListedSession }) {
  const end = async () => {
    await del(`/sessions/${session.id}`).finally(() => invalidate('/sessions'));
    toast('Session ended');
  };
  return (
    <Group component="li" justify="space-between" gap="sm" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <Text fz="sm" fw={500} title={session.agent}>
            {browserOf(session.agent)}
          </Text>
          {session.current ? <Badge color="green">This device</Badge> : null}
        </Group>
        <SmallNote>
          {session.address} · Signed in <Timestamp at={session.created_at} /> · Last active{' '}
          <Timestamp at={session.last_used_at} />
        </SmallNote>
      </div>
      {session.current ? null : (
        <ActionButton label="Sign out" errorTitle="Couldn’t end the session" run={end} />
      )}
    </Group>
  );
}

const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(HeadlessChrome|Chromium|Chrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** Turns a User-Agent header into a readable name, such as "Firefox on Linux". */
function browserOf(agent: string): string {
  const match = (patterns: typeof browsers) =>
    patterns.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = match(browsers);
  const system = match(systems);
  if (browser === undefined) return agent.slice(0, 40) || 'Unknown browser';
  return system === undefined ? browser : `${browser} on ${system}`;
}
