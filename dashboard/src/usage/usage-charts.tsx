/** Stacked charts of tasks and credits by day. A status or model always has the same color. */
import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { SimpleGrid } from '@mantine/core';
import type { UsageResponse } from '@vidgen/contract/usage.ts';
import type { ReactNode } from 'react';
import { ChartCard, chartColors, chartProps, modelColor } from '../components/charts.tsx';
import { formatNumber } from '../components/format.tsx';
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
