/** Stacked charts of tasks and credits by day. A status or model always has the same color. */
import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { SimpleGrid } from '@mantine/core';
import type { UsageResponse } from '@vidgen/contract/usage.ts';
import type { ReactNode } from 'react';
import { ChartCard, chartColors, chartProps, modelColor } from '../components/charts.tsx';
import { formatDuration, formatNumber } from '../components/format.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { type Grouping, type Measure, pointsOf, seriesOf } from './usage-series.ts';

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

export function UsageCharts(props: {
  readonly usage: UsageResponse;
  readonly by: Grouping;
}): ReactNode {
  const { usage, by } = props;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      {charts.map(({ measure, title }) => {
        const names = seriesOf(usage, by, measure);
        return (
          <ChartCard key={measure} title={`${title} by day and ${by}`} isEmpty={names.length === 0}>
            <BarChart
              {...chartProps}
              aria-label={`${title} by day: ${formatNumber(usage.total[measure])} total`}
              data={pointsOf(usage, by, measure)}
              type="stacked"
              withLegend={names.length > 1}
              series={names.map((name, index) => ({ name, color: colorOf(name, by, index) }))}
              valueFormatter={formatNumber}
              barProps={{ isAnimationActive: false }}
            />
          </ChartCard>
        );
      })}
    </SimpleGrid>
  );
}

function colorOf(name: string, by: Grouping, index: number): string {
  if (by === 'model') return modelColor(name);
  const statusColor = by === 'status' ? statusColors[name] : undefined;
  return statusColor ?? chartColors[index % chartColors.length] ?? 'gray.6';
}

/** Median and 95th percentile of completion times by model and resolution. */
export function CompletionTimesTable(props: { readonly times: UsageResponse['times'] }): ReactNode {
  const { times } = props;
  if (times.length === 0) return null;
  return (
    <SectionCard title="Completion time">
      <PlainTable
        label="Completion time"
        minWidth={420}
        columns={[
          { title: 'Model' },
          { title: 'Resolution' },
          { title: 'Completed', isNumeric: true },
          { title: 'Median', isNumeric: true },
          { title: 'p95', isNumeric: true },
        ]}
        rows={times.map((row) => ({
          id: `${row.model} ${row.resolution}`,
          cells: [
            row.model,
            row.resolution,
            formatNumber(row.tasks),
            formatDuration(row.p50_seconds),
            formatDuration(row.p95_seconds),
          ],
        }))}
      />
    </SectionCard>
  );
}
