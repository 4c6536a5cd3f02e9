/** The overview of the installation by day: credits, tasks, times and providers. */
import { Group, SegmentedControl, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { OverviewResponse } from '@vidgen/contract/admin-system.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatDuration, formatNumber, formatPercent } from '../components/format.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { CardSkeleton } from '../components/skeletons.tsx';
import { StatCards } from '../components/stat-cards.tsx';
import { useListSearch } from '../components/use-list-search.ts';
import { InstallationCharts } from './installation-charts.tsx';
import { installationSearch, periods } from './installation-search.ts';
import { ProviderDays } from './provider-days.tsx';

const refetchMs = 60_000;

export function InstallationPage(): ReactNode {
  const search = installationSearch(useSearch({ from: '/signed-in/operator/overview' }));
  const { set } = useListSearch(search, '/operator/overview');
  const { days = '30', kind: mode = 'live' } = search;
  const { data, error, isPending, refetch } = useQuery({
    queryKey: keys.adminPart('overview', days, mode),
    queryFn: () => get<OverviewResponse>('/admin/overview', { days, mode }),
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Installation"
        description="All accounts together, by day (UTC)."
        actions={
          <Group gap="sm">
            <SegmentedControl
              size="xs"
              aria-label="Mode"
              data={[
                { value: 'live', label: 'Live' },
                { value: 'test', label: 'Test' },
              ]}
              value={mode}
              onChange={(next) => set({ kind: next === 'test' ? 'test' : undefined })}
            />
            <SegmentedControl
              size="xs"
              aria-label="Time range"
              data={periods.map((value) => ({ value, label: `${value} days` }))}
              value={days}
              onChange={(next) =>
                set({ days: next === '30' ? undefined : (next as (typeof periods)[number]) })
              }
            />
          </Group>
        }
      />
      {error ? (
        <ErrorNotice
          error={error}
          title="Couldn’t load the overview"
          retry={() => void refetch()}
        />
      ) : null}
      {isPending ? (
        <>
          <CardSkeleton h={96} />
          <CardSkeleton h={320} />
        </>
      ) : null}
      {data ? (
        <>
          <Totals total={data.total} />
          <InstallationCharts overview={data} />
          <ProviderDays providers={data.providers} />
        </>
      ) : null}
    </Stack>
  );
}

function Totals({ total }: { readonly total: OverviewResponse['total'] }): ReactNode {
  const finished = total.completed + total.failed;
  const seconds = (value: number | null) => (value === null ? '–' : formatDuration(value));
  const stats = [
    { title: 'Credits sold', value: formatNumber(total.sold) },
    { title: 'Credits spent', value: formatNumber(total.spent) },
    { title: 'Credits refunded', value: formatNumber(total.refunded) },
    { title: 'Tasks', value: formatNumber(total.tasks) },
    {
      title: 'Success rate',
      value: finished === 0 ? '–' : formatPercent(total.completed / finished),
      hint: 'Completed of those that completed or failed. Canceled tasks are left out.',
    },
    { title: 'Median time', value: seconds(total.p50_seconds) },
    { title: 'p95 time', value: seconds(total.p95_seconds) },
  ];
  return <StatCards stats={stats} cols={{ base: 2, xs: 3, md: 4, xl: 7 }} />;
}
