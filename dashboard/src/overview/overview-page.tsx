/** The overview of an account: balance, recent tasks, quick start. */
import { Anchor, List, Paper, Stack, Title } from '@mantine/core';
import { MagicWandIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { InstalledModelsResponse } from '@vidgen/contract/admin-models.ts';
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import type { ReactNode } from 'react';
import { serviceUrl } from '../api/base-path.ts';
import { buildUrl } from '../api/client.ts';
import { type AccountScope, useAccount } from '../api/session.ts';
import { CodeTabs } from '../components/code.tsx';
import { LinkButton, TextLink } from '../components/links.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { BalanceCards } from '../components/section-card.tsx';
import { Note } from '../components/texts.tsx';
import { historyQuery, modelsQuery } from '../playground/playground-queries.ts';
import { snippetsOf } from '../playground/snippets.ts';
import { TaskHistory } from '../playground/task-history.tsx';

const listFormat = new Intl.ListFormat('en');

export function OverviewPage(): ReactNode {
  const account = useAccount();
  const { id, mode } = account;
  const { data: recent } = useQuery(historyQuery({ id, mode }));
  const { data: models } = useQuery(modelsQuery);
  const isNew = recent?.items.length === 0;
  return (
    <>
      <PageHeader
        title={account.name || 'Overview'}
        tabTitle="Overview"
        description={describeMode(account, models)}
        actions={
          account.hasRole('developer') && isActive(account) ? (
            <LinkButton
              to="/accounts/$account/playground"
              params={{ account: id }}
              leftSection={<MagicWandIcon aria-hidden />}
            >
              {isNew ? 'Create your first video' : 'New video'}
            </LinkButton>
          ) : undefined
        }
      />
      <Stack gap="xl">
        <BalanceCards balance={account.account?.balance[mode]} />
        {isNew ? null : <TaskHistory account={id} mode={mode} />}
        {recent && (isNew || isActive(account)) ? <QuickStart /> : null}
      </Stack>
    </>
  );
}

/** The banner above says why new videos can’t be created. */
const isActive = ({ account }: AccountScope): boolean =>
  !account || (account.closed_at === null && account.suspended_at === null);

function describeMode(
  { account, mode }: AccountScope,
  models: InstalledModelsResponse | undefined,
): string {
  if (mode === 'test') return 'Test mode: tasks return previews and use test credits.';
  if (account?.demo) {
    return 'Demo account: tasks always return previews, even with a provider connected.';
  }
  const previewed = models?.live_previews ?? [];
  const names = listFormat.format(previewed);
  const note =
    previewed.length === 0 ? '' : ` Without a provider, these return previews: ${names}.`;
  return `Live mode: tasks use live credits.${note}`;
}

const firstRequest: CreateGenerationRequest = {
  model: 'vidgen-2-5',
  input: {
    prompt: 'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea',
    duration: 5,
    resolution: '720p',
  },
};

/** The steps from an API key to a video, with the URL of this installation. */
function QuickStart(): ReactNode {
  const { id, mode, hasRole } = useAccount();
  return (
    <Paper
      withBorder
      p={{ base: 'md', sm: 'lg' }}
      component="section"
      aria-labelledby="quick-start"
    >
      <Stack gap="md">
        <Title order={2} id="quick-start">
          Quick start
        </Title>
        <List type="ordered" spacing={6} fz="sm">
          <List.Item>
            {hasRole('developer') ? (
              <>
                <TextLink to="/accounts/$account/keys" params={{ account: id }} fz="sm">
                  Create a {mode} key
                </TextLink>{' '}
                and export it: <code>export VIDGEN_KEY=vg_{mode}_…</code>
              </>
            ) : (
              'Ask a developer on this account for an API key and export it as VIDGEN_KEY.'
            )}
          </List.Item>
          <List.Item>Create your first video:</List.Item>
        </List>
        <CodeTabs snippets={snippetsOf(firstRequest, { serviceUrl })} />
        <Note>
          To learn more, read the{' '}
          <Anchor href={buildUrl('/guides/quick-start')} fz="sm">
            quick start guide
          </Anchor>{' '}
          or the{' '}
          <Anchor href={buildUrl('/docs')} fz="sm">
            API reference
          </Anchor>
          .
        </Note>
      </Stack>
    </Paper>
  );
}
