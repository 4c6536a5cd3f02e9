/** Says above every page that the service cannot be reached, until it can. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { SummaryResponse } from '@vidgen/contract/admin-system.ts';
import type { ReactNode } from 'react';
import { polled } from '../api/client.ts';
import { retryConnection, useIsConnectionLost } from '../api/connection.ts';
import { accountQuery, useSession } from '../api/session.ts';
import { useAsyncAction } from '../components/action.ts';
import { LinkButton } from '../components/links.tsx';
import { Label } from '../components/text.tsx';
import classes from './shell.module.css';

export function ConnectionBanner() {
  const isLost = useIsConnectionLost();
  const retry = useAsyncAction(retryConnection);
  return (
    <div role="status" className={classes.bannerSlot}>
      {isLost ? (
        <Group className={classes.connectionBanner ?? ''} gap="sm" justify="center">
          <Label>
            {navigator.onLine ? 'Can’t reach the server. Retrying…' : 'You’re offline. Retrying…'}
          </Label>
          <Button size="compact-sm" variant="default" loading={retry.isPending} onClick={retry.run}>
            Retry now
          </Button>
        </Group>
      ) : null}
    </div>
  );
}

/** Says above every page of an account in test mode what it means, and how to leave it. */
export function TestModeBanner() {
  return (
    <Group className={classes.testModeBanner ?? ''} gap="xs" justify="center" wrap="nowrap">
      <Text fz="sm">
        <b>Test mode.</b>{' '}
        <Text span inherit visibleFrom="sm">
          Tasks return previews and use test credits.
        </Text>
      </Text>
      <LinkButton
        to="."
        search={(previous) => ({ ...previous, mode: 'live' as const })}
        size="compact-sm"
        variant="default"
      >
        Switch to live
      </LinkButton>
    </Group>
  );
}

/** Tells administrators why live tasks return previews, and how to get real videos. */
export function PreviewBanner() {
  const { person } = useSession();
  const { account: id } = useParams({ strict: false });
  const { data: summary } = useQuery({ ...summaryQuery, enabled: person.administrator });
  const { data: account } = useQuery({ ...accountQuery(id ?? ''), enabled: id !== undefined });
  if (!person.administrator || !summary) return null;
  if (summary.no_provider) {
    return (
      <Banner
        title="No provider connected."
        text="Live tasks return previews and use live credits."
      >
        <LinkButton
          to="/operator/providers"
          search={{ connect: 'true' }}
          size="xs"
          variant="default"
        >
          Connect provider
        </LinkButton>
      </Banner>
    );
  }
  if (!account?.demo) return null;
  return (
    <Banner title="This is the demo account." text="Its tasks always return previews.">
      <LinkButton
        to="/operator/accounts"
        search={{ dialog: 'create-account' }}
        size="xs"
        variant="default"
      >
        Create account
      </LinkButton>
    </Banner>
  );
}

function Banner(props: {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}) {
  return (
    <Alert
      color="yellow"
      mb="lg"
      py="xs"
      icon={<ExclamationTriangleIcon aria-hidden />}
      styles={{ icon: { marginTop: 4 } }}
    >
      <Group justify="space-between" gap="xs">
        <Text fz="sm">
          <b>{props.title}</b> {props.text}
        </Text>
        {props.children}
      </Group>
    </Alert>
  );
}

/** What waits for administrators; the navigation and the banner share the request. */
export const summaryQuery = polled<SummaryResponse>('/admin/summary', 120_000);
