/** The overview of an account: its last seven days, recent tasks, quick start. */
import { Anchor, Grid, List, Stack } from '@mantine/core';
import { MagicWandIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { ListKeysResponse } from '@vidgen/contract/admin-accounts.ts';
import type { InstalledModelsResponse } from '@vidgen/contract/admin-models.ts';
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import { serviceUrl } from '../api/base-path.ts';
import { buildUrl, resource } from '../api/client.ts';
import { type AccountScope, useAccount } from '../api/session.ts';
import { CodeTabs } from '../components/code.tsx';
import { Disclosure } from '../components/disclosure.tsx';
import { LinkButton, TextLink } from '../components/links.tsx';
import { Page, SectionCard } from '../components/page.tsx';
import { Note } from '../components/text.tsx';
import { historyQuery, modelsQuery } from '../playground/playground-queries.ts';
import { snippetsOf } from '../playground/snippets.ts';
import { TaskHistory } from '../playground/task-history.tsx';
import { Failures } from '../usage/failures.tsx';
import { useWeek, WebhookHealth, WeekCards, weekDays } from './week.tsx';

const listFormat = new Intl.ListFormat('en');

export function OverviewPage() {
  const account = useAccount();
  const { id, mode } = account;
  const { data: recent } = useQuery(historyQuery({ id, mode }));
  const { data: models } = useQuery(modelsQuery);
  const isNew = recent?.items.length === 0;
  return (
    <Page
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
    >
      <WeekCards />
      {isNew ? null : <LastWeek />}
      {recent && (isNew || isActive(account)) ? <QuickStart /> : null}
    </Page>
  );
}

function LastWeek() {
  const { data: usage } = useWeek('last');
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <TaskHistory />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Stack gap="lg">
          {usage ? (
            <Failures failures={usage.failures} days={weekDays}>
              <Note>None in the last seven days.</Note>
            </Failures>
          ) : null}
          <WebhookHealth />
        </Stack>
      </Grid.Col>
    </Grid>
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

/** With the first model that live keys can use. */
function firstRequest(models: InstalledModelsResponse | undefined): CreateGenerationRequest {
  const model = models?.items.find(({ id }) => !models.live_unserved?.includes(id));
  return {
    model: model?.id ?? 'vidgen-2-5',
    input: {
      prompt: 'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea',
      duration: model?.duration.default ?? 5,
      resolution: model?.default_resolution ?? '720p',
    },
  };
}

/** Folded once a key was used. */
function QuickStart() {
  const { id, mode } = useAccount();
  const { data: keys } = useQuery(
    resource<ListKeysResponse>(`/admin/accounts/${id}/keys`, { mode, limit: 100 }),
  );
  const { data: recent } = useQuery(historyQuery({ id, mode }));
  if (keys === undefined) return null;
  // The time of use is written some seconds late.
  const isUsed = keys.items.some(
    (key) =>
      key.last_used_at !== null || recent?.items.some((task) => task.key_id === key.id) === true,
  );
  if (!isUsed) return <QuickStartSteps />;
  return (
    <Disclosure label="Quick start">
      <QuickStartSteps />
    </Disclosure>
  );
}

/** The steps from an API key to a video, with the URL of this installation. */
function QuickStartSteps() {
  const { id, mode, hasRole } = useAccount();
  const { data: models } = useQuery(modelsQuery);
  return (
    <SectionCard title="Quick start">
      <Stack gap="md">
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
        <CodeTabs snippets={snippetsOf(firstRequest(models), { serviceUrl })} />
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
    </SectionCard>
  );
}
