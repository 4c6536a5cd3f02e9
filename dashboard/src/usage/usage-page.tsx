/** The usage of an account: tasks, credits, success rate and completion times. */

import { SimpleGrid } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UsageResponse } from '@vidgen/contract/usage.ts';
import { polled } from '../api/client.ts';
import { idleRefetchMs } from '../api/cursor-list.ts';
import { useAccount } from '../api/session.ts';
import { chartColors, modelColors } from '../components/chart-colors.ts';
import { ChartCard } from '../components/charts.tsx';
import { FilterRow, FilterTabs, spanFilter, useFilters } from '../components/filters.tsx';
import { LinkButton } from '../components/links.tsx';
import { ExportMenu } from '../components/list-table.tsx';
import { keyFilter, modelFilter } from '../components/name-filters.tsx';
import { Page, StatCards } from '../components/page.tsx';
import { EmptyState, Loaded } from '../components/states.tsx';
import { formatDuration, formatNumber, formatSuccessRate } from '../components/text.tsx';
import { Failures } from './failures.tsx';
import {
  endedOf,
  type Grouping,
  type Measure,
  pointsOf,
  seriesOf,
  startOfSpan,
} from './usage-series.ts';

const groupings: Readonly<Record<Grouping, string>> = {
  model: 'By model',
  resolution: 'By resolution',
  status: 'By status',
  key: 'By key',
};
const filters = {
  days: spanFilter,
  by: { label: 'Group by', options: groupings, Control: FilterTabs },
  model: modelFilter,
  key_id: keyFilter,
};

export function UsagePage() {
  const { id, mode } = useAccount();
  const state = useFilters(filters);
  const { days = spanFilter.usual, by = 'model', ...chosen } = state.values;
  const query = { mode, created_after: startOfSpan(Number(days)), ...chosen };
  const usage = useQuery({
    ...polled<UsageResponse>(`/admin/accounts/${id}/usage`, idleRefetchMs, query),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Usage"
      description={`${mode === 'live' ? 'Live' : 'Test'} tasks by creation date (UTC).`}
      actions={<ExportMenu path={`/admin/accounts/${id}/usage`} query={query} />}
    >
      <FilterRow {...state} />
      <Loaded query={usage} what="usage" height={420}>
        {(data) =>
          data.total.tasks === 0 ? (
            <EmptyState
              title="No usage in this period"
              action={
                <LinkButton to="/accounts/$account/playground" params={{ account: id }}>
                  Create a video
                </LinkButton>
              }
            >
              Create a task to see usage by day, model, resolution, status and key.
            </EmptyState>
          ) : (
            <>
              <Totals usage={data} />
              <UsageCharts usage={data} by={by as Grouping} />
              <Failures failures={data.failures} days={Number(days)} query={chosen} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Totals({ usage }: { readonly usage: UsageResponse }) {
  const { total } = usage;
  const stats = [
    { title: 'Tasks', value: formatNumber(total.tasks) },
    { title: 'Credits charged', value: formatNumber(total.credits) },
    { title: 'Success rate', value: formatSuccessRate(endedOf(usage)) },
    { title: 'Median time', value: formatDuration(total.p50_seconds) },
    { title: 'p95 time', value: formatDuration(total.p95_seconds) },
  ];
  return <StatCards stats={stats} cols={{ base: 2, xs: 3, md: 5 }} />;
}

const statusColors: Readonly<Record<string, string>> = {
  completed: 'teal.6',
  failed: 'red.6',
  generating: 'blue.6',
  queued: 'gray.6',
};

const charts: readonly { readonly measure: Measure; readonly title: string }[] = [
  { measure: 'tasks', title: 'Tasks' },
  { measure: 'credits', title: 'Credits charged' },
];

export function UsageCharts(props: { readonly usage: UsageResponse; readonly by: Grouping }) {
  const { usage, by } = props;
  // Of all charts, so that a name has one color in each.
  const colors = colorsOf(
    [...new Set(charts.flatMap(({ measure }) => seriesOf(usage, by, measure)))],
    by,
  );
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      {charts.map(({ measure, title }) => {
        const names = seriesOf(usage, by, measure);
        return (
          <ChartCard
            key={measure}
            title={`${title} by day and ${by}`}
            label={`${title} by day: ${formatNumber(usage.total[measure])} total`}
            isEmpty={names.length === 0}
            kind="stacked bars"
            data={pointsOf(usage, by, measure)}
            series={names.map((name) => [name, colors.get(name)!] as const)}
            format={formatNumber}
          />
        );
      })}
    </SimpleGrid>
  );
}

function colorsOf(names: readonly string[], by: Grouping): ReadonlyMap<string, string> {
  if (by === 'model') return modelColors(names);
  const fixed = by === 'status' ? statusColors : {};
  return new Map(
    names.map((name, at) => [name, fixed[name] ?? chartColors[at % chartColors.length]!]),
  );
}
