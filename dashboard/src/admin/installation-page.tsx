/** The overview of all accounts by day: credits, tasks and times. */
import { Group, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { OverviewResponse } from '@vidgen/contract/admin-system.ts';
import type { ReactNode } from 'react';
import { resource } from '../api/query-client.ts';
import { Loaded } from '../components/error-notice.tsx';
import { FilterTabs, spans, useFilters } from '../components/filters.tsx';
import { formatDuration, formatNumber, formatSuccessRate } from '../components/format.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { StatCards } from '../components/section-card.tsx';
import { InstallationCharts } from './installation-charts.tsx';

const refetchMs = 60_000;
const modes = { live: 'Live', test: 'Test' };

export function InstallationPage(): ReactNode {
  const { values, set } = useFilters({ days: { options: spans }, mode: { options: modes } });
  const { days = '30', mode = 'live' } = values;
  const query = useQuery({
    ...resource<OverviewResponse>('/admin/overview', { days, mode }),
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Overview"
        description="All accounts together, by day (UTC)."
        actions={
          <Group gap="sm">
            <FilterTabs
              label="Mode"
              options={modes}
              value={mode}
              onChange={(next) => set({ mode: next })}
            />
            <FilterTabs
              label="Time range"
              options={spans}
              value={days}
              onChange={(next) => set({ days: next })}
            />
          </Group>
        }
      />
      <Loaded query={query} what="the overview" height={420}>
        {(data) => (
          <>
            <Totals total={data.total} />
            <InstallationCharts overview={data} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function Totals({ total }: { readonly total: OverviewResponse['total'] }): ReactNode {
  const seconds = (value: number | null) => (value === null ? '–' : formatDuration(value));
  const stats = [
    { title: 'Credits sold', value: formatNumber(total.sold) },
    { title: 'Credits spent', value: formatNumber(total.spent) },
    { title: 'Credits refunded', value: formatNumber(total.refunded) },
    { title: 'Tasks', value: formatNumber(total.tasks) },
    {
      title: 'Success rate',
      value: formatSuccessRate(total),
      hint: 'Completed of those that completed or failed. Canceled tasks are left out.',
    },
    { title: 'Median time', value: seconds(total.p50_seconds) },
    { title: 'p95 time', value: seconds(total.p95_seconds) },
  ];
  return <StatCards stats={stats} cols={{ base: 2, xs: 3, md: 4, xl: 7 }} />;
}
