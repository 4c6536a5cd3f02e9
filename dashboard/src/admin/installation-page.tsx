/** The overview of all accounts by day: credits, tasks and times. */

import { SimpleGrid } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { OverviewResponse } from '@vidgen/contract/admin-system.ts';
import { polled } from '../api/client.ts';
import { modelColors } from '../components/chart-colors.ts';
import { ChartCard } from '../components/charts.tsx';
import { FilterRow, FilterTabs, spanFilter, useFilters } from '../components/filters.tsx';
import { Page, StatCards } from '../components/page.tsx';
import { Loaded } from '../components/states.tsx';
import {
  formatDuration,
  formatNumber,
  formatPercent,
  formatSuccessRate,
} from '../components/text.tsx';

const refetchMs = 60_000;
const filters = {
  mode: { label: 'Mode', options: { live: 'Live', test: 'Test' }, Control: FilterTabs },
  days: spanFilter,
};

export function InstallationPage() {
  const state = useFilters(filters);
  const { days = spanFilter.usual, mode = 'live' } = state.values;
  const query = useQuery({
    ...polled<OverviewResponse>('/admin/overview', refetchMs, { days, mode }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Overview"
      description="All accounts together, by day (UTC)."
      actions={<FilterRow {...state} />}
    >
      <Loaded query={query} what="the overview" height={420}>
        {(data) => (
          <>
            <Totals total={data.total} />
            <InstallationCharts overview={data} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Totals({ total }: { readonly total: OverviewResponse['total'] }) {
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
    { title: 'Median time', value: formatDuration(total.p50_seconds) },
    { title: 'p95 time', value: formatDuration(total.p95_seconds) },
  ];
  return <StatCards stats={stats} cols={{ base: 2, xs: 3, md: 4, xl: 7 }} />;
}

type Day = OverviewResponse['days'][number];
type Point = { readonly day: string; readonly [series: string]: number | string | null };

/** `1.2M`: the axis has little room. */
const compact = new Intl.NumberFormat('en', { notation: 'compact' });

export function InstallationCharts(props: { readonly overview: OverviewResponse }) {
  const { overview } = props;
  const { days, total } = overview;
  const used = days.flatMap((day) => day.models.map(({ model }) => model));
  const models = [...new Set(used)].sort();
  const colors = modelColors(models);
  const points = (of: (day: Day) => Record<string, number | null>): Point[] =>
    days.map((day) => ({ day: day.day, ...of(day) }));
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <ChartCard
        title="Credits"
        label={`Credits by day: ${formatNumber(total.sold)} sold`}
        isEmpty={days.every(({ sold, spent, refunded }) => !sold && !spent && !refunded)}
        kind="bars"
        data={points(({ sold, spent, refunded }) => ({
          Sold: sold,
          Spent: spent,
          Refunded: refunded,
        }))}
        series={[
          ['Sold', 'blue.6'],
          ['Spent', 'teal.6'],
          ['Refunded', 'red.6'],
        ]}
        format={formatNumber}
        yAxisProps={{ tickFormatter: compact.format }}
        barChartProps={{ barGap: 0, barCategoryGap: '12%' }}
      />
      <ChartCard
        title="Tasks by model"
        label={`Tasks by day: ${formatNumber(total.tasks)} total`}
        isEmpty={total.tasks === 0}
        kind="stacked bars"
        data={points((day) => {
          const tasksOf = (name: string) => day.models.find(({ model }) => model === name)?.tasks;
          return Object.fromEntries(models.map((name) => [name, tasksOf(name) ?? 0]));
        })}
        series={models.map((name) => [name, colors.get(name)!] as const)}
        format={formatNumber}
      />
      <ChartCard
        title="Success rate"
        label="Success rate by day"
        isEmpty={total.completed + total.failed === 0}
        kind="lines"
        data={points(({ completed, failed }) => ({
          'Success rate': completed + failed === 0 ? null : completed / (completed + failed),
        }))}
        series={[['Success rate', 'teal.6']]}
        format={formatPercent}
        lineChartProps={{ margin: { top: 12 } }}
        yAxisProps={{ domain: [0, 1] }}
      />
      <ChartCard
        title="Time to completion"
        label="Median and p95 time to completion by day"
        isEmpty={total.p50_seconds === null}
        kind="lines"
        data={points(({ p50_seconds, p95_seconds }) => ({
          Median: p50_seconds,
          p95: p95_seconds,
        }))}
        series={[
          ['Median', 'indigo.6'],
          ['p95', 'orange.6'],
        ]}
        format={formatDuration}
      />
    </SimpleGrid>
  );
}
