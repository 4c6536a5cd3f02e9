/** The layout of pages without a session, one centered card, and the sign-in at a provider. */
import { Button, Center, Divider, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { StartedOpenIdResponse } from '@vidgen/contract/sign-in.ts';
import type { ReactNode } from 'react';
import { post } from '../api/client.ts';
import { useAsyncAction } from '../components/action.ts';
import { ErrorNotice } from '../components/states.tsx';
import { Note } from '../components/text.tsx';
import { Logo, SiteLinks } from '../shell/site-header.tsx';
import { openIdMessage, useSignInMethods } from './openid-result.ts';

export function AuthLayout(props: {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** Shown below the card. */
  readonly footer?: ReactNode;
}) {
  const { title, description, children, footer } = props;
  return (
    <Center
      component="main"
      mih="100dvh"
      p="md"
      bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-8))"
    >
      <title>{`${title} · vidgen`}</title>
      <Stack w="min(25rem, 100%)" gap="lg">
        <Group gap="xs" justify="center">
          <Logo size={28} />
          <Text fw={650} fz="lg" lts="-0.01em">
            vidgen
          </Text>
        </Group>
        <Paper withBorder p={{ base: 'lg', xs: 'xl' }} radius="lg" bg="var(--mantine-color-body)">
          <Stack gap="lg">
            <div>
              <Title order={1} fz="1.25rem">
                {title}
              </Title>
              {description === undefined ? null : <Note mt={6}>{description}</Note>}
            </div>
            {children}
          </Stack>
        </Paper>
        {footer === undefined ? null : (
          <Text c="dimmed" fz="xs" ta="center">
            {footer}
          </Text>
        )}
        <Group justify="center">
          <SiteLinks />
        </Group>
      </Stack>
    </Center>
  );
}

/** “Continue with …”: signs in at the OpenID provider. Renders nothing where there is none. */
export function ContinueWith(props: {
  /** The page of the dashboard to open after the sign-in. */
  readonly to?: string | undefined;
  /** The token of an invitation. */
  readonly link?: string;
  /** Why the last attempt failed. */
  readonly problem?: string | undefined;
}) {
  const { to, link, problem } = props;
  const provider = useSignInMethods()?.openid;
  const start = useAsyncAction(async () => {
    const request = {
      ...(to === undefined ? {} : { to }),
      ...(link === undefined ? {} : { link }),
    };
    const { url } = await post<StartedOpenIdResponse>('/session/openid', request);
    location.assign(url);
  });
  if (!provider) return null;
  const message = openIdMessage(problem, provider.name);
  const failure = start.error ?? (message === null ? null : new Error(message));
  return (
    <Stack gap="md">
      <ErrorNotice error={failure} title="Couldn’t sign in" />
      <Button variant="default" fullWidth loading={start.isPending} onClick={start.run}>
        Continue with {provider.name}
      </Button>
      <Divider label="or" />
    </Stack>
  );
}
