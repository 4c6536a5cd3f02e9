/**
 * Shown in place of a page that fails to load or render; the shell around it stays. Without a
 * connection the page loads by itself as soon as the service responds.
 */
import { Box, Button, Center, Group, Stack, Text, Title } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { useIsConnectionLost } from '../api/connection.ts';
import { LinkButton } from '../components/links.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { ConnectionBanner } from './banners.tsx';
import { AssetUnavailable, recoverAsset } from './lazy.tsx';
import { Brand, SiteLinks } from './site-header.tsx';

const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.code === 'unreachable');

/** Is shown inside the shell, which has its own `main`. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  if (error instanceof AssetUnavailable) return <MissingAsset retry={retry} />;
  if (isUnreachable(error)) return <Interrupted retry={retry} />;
  return (
    <Message title="Something went wrong" retry={retry}>
      <ErrorNotice
        error={error instanceof Error ? error : new Error(String(error))}
        title="Details"
      />
    </Message>
  );
}

/** Is shown instead of the shell, whose data could not be loaded. */
export function RouteError(props: ErrorComponentProps) {
  return (
    <main>
      <ConnectionBanner />
      <PageError {...props} />
    </main>
  );
}

function MissingAsset({ retry }: { retry(): void }) {
  const [isTried, setTried] = useState(false);
  useEffect(() => {
    void recoverAsset().then((outcome) => setTried(outcome === 'reloaded before'));
  }, []);
  if (!isTried) return <Interrupted retry={retry} />;
  return (
    <Message title="A new version is available" retry={null}>
      <Text c="dimmed">Reload to continue. If that doesn’t help, try again in a minute.</Text>
    </Message>
  );
}

function Interrupted({ retry }: { retry(): void }) {
  const isLost = useIsConnectionLost();
  const wasLost = useRef(false);
  useEffect(() => {
    if (wasLost.current && !isLost) retry();
    wasLost.current = isLost;
  });
  return (
    <Message title="Waiting for the connection" retry={retry} keepsPage>
      <Text c="dimmed">This page opens by itself as soon as the server responds.</Text>
    </Message>
  );
}

function Message(props: {
  readonly title: string;
  readonly children: ReactNode;
  /** Null where only a reload helps. */
  readonly retry: (() => void) | null;
  /** Without a connection, a reload would replace the shell by the browser's error page. */
  readonly keepsPage?: true;
}) {
  const { title, children, retry, keepsPage } = props;
  return (
    <Center mih="60vh" p="lg">
      <Stack gap="md" w="min(34rem, 100%)">
        <Title order={1}>{title}</Title>
        {children}
        <Group>
          {retry === null ? null : <Button onClick={retry}>Try again</Button>}
          {keepsPage ? null : (
            <Button
              variant={retry === null ? 'filled' : 'default'}
              onClick={() => location.reload()}
            >
              Reload
            </Button>
          )}
        </Group>
      </Stack>
    </Center>
  );
}

/** Is shown outside the shell, which has its own `main`. */
export function NotFoundPage() {
  return (
    <>
      <Group
        component="header"
        h="3.25rem"
        px="1.25rem"
        wrap="nowrap"
        style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}
      >
        <Brand />
        <Box visibleFrom="sm">
          <SiteLinks />
        </Box>
      </Group>
      <main>
        <NotFound />
      </main>
    </>
  );
}

/** Shown for URLs that lead to no page. */
export function NotFound() {
  return <DeadEnd title="Page not found">Check the URL, or ask for access to the account.</DeadEnd>;
}

/** Shown to other people on the pages of the administration. */
export function AdministratorsOnly() {
  return (
    <DeadEnd title="For administrators only">
      You’re signed in as a member. Ask an administrator of this service for access.
    </DeadEnd>
  );
}

function DeadEnd(props: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Center mih="60vh" p="lg">
      <title>{`${props.title} · vidgen`}</title>
      <Stack align="center" gap="sm" maw="28rem">
        <Title order={1}>{props.title}</Title>
        <Text c="dimmed" ta="center">
          {props.children}
        </Text>
        <LinkButton to="/">Go home</LinkButton>
      </Stack>
    </Center>
  );
}
