/** Providers and their health, as seen by the process that served the request. */
import { Badge, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ProviderHealth } from '@vidgen/contract/admin-providers.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { DescriptionList } from '../components/description-list.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';
import { Timestamp } from '../components/timestamp.tsx';

const refetchMs = 5000;

export function ProvidersPage(): ReactNode {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: keys.adminPart('providers'),
    queryFn: () => get<{ items: ProviderHealth[] }>('/admin/providers'),
    refetchInterval: refetchMs,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Providers"
        description={
          'Who generates, and how they are doing. ' + 'Routes and limits are in vidgen.config.ts.'
        }
      />
      {error ? (
        <ErrorNotice
          error={error}
          title="Providers could not be loaded"
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
          <ProviderCard key={provider.name} provider={provider} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

const breakerBadges: Readonly<Record<ProviderHealth['breaker'], { color: string; label: string }>> =
  {
    closed: { color: 'green', label: 'healthy' },
    'half-open': { color: 'yellow', label: 'on trial' },
    open: { color: 'red', label: 'paused' },
  };

function ProviderCard({ provider }: { readonly provider: ProviderHealth }): ReactNode {
  const { starts, start_ms: startMs, last_trouble: lastError } = provider;
  const { color, label } = breakerBadges[provider.breaker];
  const limit =
    provider.concurrency === null ? '' : ` of at most ${formatNumber(provider.concurrency)}`;
  return (
    <SectionCard title={provider.name} actions={<Badge color={color}>{label}</Badge>}>
      {provider.breaker === 'open' ? (
        <Text fz="sm" mb="sm">
          It gets no new tasks; one is tried in {provider.seconds_until_trial} s.
        </Text>
      ) : null}
      <DescriptionList
        items={[
          ['Models', provider.models.length === 0 ? 'test keys only' : provider.models.join(', ')],
          ['Tasks now', `${formatNumber(provider.open_tasks)}${limit}`],
          ['Starts accepted', formatNumber(starts.accepted)],
          ['Refused', formatNumber(starts.refused)],
          ['Not now', formatNumber(starts.throttled)],
          ['Answer lost', formatNumber(starts.unknown)],
          ['Looks without an answer', formatNumber(provider.status_troubles)],
          ['Time to start', startMs ? `${startMs.p50} ms, 95 % within ${startMs.p95} ms` : '–'],
        ]}
      />
      {lastError ? (
        <Text fz="sm" mt="sm">
          <Timestamp at={lastError.at} />: {lastError.detail}
        </Text>
      ) : null}
    </SectionCard>
  );
}
