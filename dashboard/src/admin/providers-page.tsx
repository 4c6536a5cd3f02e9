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
        description="Health of your video providers. Routes and limits are set in vidgen.config.ts."
      />
      {error ? (
        <ErrorNotice error={error} title="Couldn’t load providers" retry={() => void refetch()} />
      ) : null}
      {isPending && !error ? <PageSkeleton /> : null}
      {data?.items.length === 0 ? (
        <EmptyState title="No providers configured">
          Add one in vidgen.config.ts. See docs/providers.md.
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
    closed: { color: 'green', label: 'Healthy' },
    'half-open': { color: 'yellow', label: 'Recovering' },
    open: { color: 'red', label: 'Paused' },
  };

function ProviderCard({ provider }: { readonly provider: ProviderHealth }): ReactNode {
  const { starts, start_ms: startMs, last_trouble: lastError } = provider;
  const { color, label } = breakerBadges[provider.breaker];
  const limit = provider.concurrency === null ? '' : ` of ${formatNumber(provider.concurrency)}`;
  return (
    <SectionCard title={provider.name} actions={<Badge color={color}>{label}</Badge>}>
      {provider.breaker === 'open' ? (
        <Text fz="sm" mb="sm">
          Paused after repeated errors. Retrying in {provider.seconds_until_trial} s.
        </Text>
      ) : null}
      <DescriptionList
        items={[
          ['Models', provider.models.length === 0 ? 'Test keys only' : provider.models.join(', ')],
          ['Active tasks', `${formatNumber(provider.open_tasks)}${limit}`],
          ['Accepted', formatNumber(starts.accepted)],
          ['Rejected', formatNumber(starts.refused)],
          ['Throttled', formatNumber(starts.throttled)],
          ['No response', formatNumber(starts.unknown)],
          ['Failed polls', formatNumber(provider.status_troubles)],
          ['Start latency', startMs ? `p50 ${startMs.p50} ms, p95 ${startMs.p95} ms` : '–'],
        ]}
      />
      {lastError ? (
        <Text fz="sm" mt="sm">
          Last error <Timestamp at={lastError.at} />: {lastError.detail}
        </Text>
      ) : null}
    </SectionCard>
  );
}
