/** Providers and their health, as the process that answers has seen them. */
import { Badge, Card, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Facts } from '../components/facts.tsx';
import { credits } from '../components/figures.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';

const lookMs = 5000;

export function ProvidersPage(): ReactNode {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: keys.operatorPart('providers'),
    queryFn: () => get<{ items: ProviderHealth[] }>('/admin/providers'),
    refetchInterval: lookMs,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Providers"
        about="Who generates, and how they are doing. Routes and limits are in vidgen.config.ts."
      />
      {error ? (
        <ErrorNotice
          error={error}
          what="Providers could not be loaded"
          retry={() => void refetch()}
        />
      ) : null}
      {isPending && !error ? <PageSkeleton /> : null}
      {data?.items.length === 0 ? (
        <EmptyState title="No provider is configured">
          Name one in vidgen.config.ts: docs/providers.md shows each kind.
        </EmptyState>
      ) : null}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {data?.items.map((provider) => (
          <Provider key={provider.name} provider={provider} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

const breakers: Readonly<Record<ProviderHealth['breaker'], { color: string; words: string }>> = {
  closed: { color: 'green', words: 'healthy' },
  'half-open': { color: 'yellow', words: 'on trial' },
  open: { color: 'red', words: 'paused' },
};

function Provider({ provider }: { readonly provider: ProviderHealth }): ReactNode {
  const { starts, start_ms: startMs, last_trouble: trouble } = provider;
  const { color, words } = breakers[provider.breaker];
  const limit = provider.concurrency === null ? '' : ` of at most ${credits(provider.concurrency)}`;
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" mb="sm">
        <Text fw={600} component="h2" fz="md">
          {provider.name}
        </Text>
        <Badge color={color}>{words}</Badge>
      </Group>
      {provider.breaker === 'open' ? (
        <Text fz="sm" mb="sm">
          It gets no new tasks; one is tried in {provider.seconds_until_trial} s.
        </Text>
      ) : null}
      <Facts
        facts={[
          ['Models', provider.models.length === 0 ? 'test keys only' : provider.models.join(', ')],
          ['Tasks now', `${credits(provider.open_tasks)}${limit}`],
          ['Starts accepted', credits(starts.accepted)],
          ['Refused', credits(starts.refused)],
          ['Not now', credits(starts.throttled)],
          ['Answer lost', credits(starts.unknown)],
          ['Looks without an answer', credits(provider.status_troubles)],
          ['Time to start', startMs ? `${startMs.p50} ms, 95 % within ${startMs.p95} ms` : '–'],
        ]}
      />
      {trouble ? (
        <Text fz="sm" mt="sm">
          <Moment at={trouble.at} />: {trouble.detail}
        </Text>
      ) : null}
    </Card>
  );
}
