/** Charts of the installation by day. A model always has the same color. */
import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import { SimpleGrid } from '@mantine/core';
import type { OverviewResponse } from '@vidgen/contract/admin-system.ts';
import type { ReactNode } from 'react';
import { ChartCard, chartProps, modelColor } from '../components/charts.tsx';
import { formatDuration, formatNumber, formatPercent } from '../components/format.tsx';

type Day = OverviewResponse['days'][number];
type Point = { readonly day: string; readonly [series: string]: number | string | null };

/** `1.2M`: the axis has little room. */
const compact = new Intl.NumberFormat('en', { notation: 'compact' });

export function InstallationCharts(props: { readonly overview: OverviewResponse }): ReactNode {
  const { overview } = props;
  const { days, total } = overview;
  const used = days.flatMap((day) => day.models.map(({ model }) => model));
  const models = [...new Set(used)].sort();
  const points = (of: (day: Day) => Record<string, number | null>): Point[] =>
    days.map((day) => ({ day: day.day, ...of(day) }));
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <ChartCard
        title="Credits"
        isEmpty={days.every(({ sold, spent, refunded }) => !sold && !spent && !refunded)}
      >
        <BarChart
          {...chartProps}
          aria-label={`Credits by day: ${formatNumber(total.sold)} sold`}
          data={points(({ sold, spent, refunded }) => ({
            Sold: sold,
            Spent: spent,
            Refunded: refunded,
          }))}
          series={[
            { name: 'Sold', color: 'blue.6' },
            { name: 'Spent', color: 'teal.6' },
            { name: 'Refunded', color: 'red.6' },
          ]}
          valueFormatter={formatNumber}
          yAxisProps={{ tickFormatter: compact.format }}
          barChartProps={{ barGap: 0, barCategoryGap: '12%' }}
          barProps={{ isAnimationActive: false }}
        />
      </ChartCard>
      <ChartCard title="Tasks by model" isEmpty={total.tasks === 0}>
        <BarChart
          {...chartProps}
          aria-label={`Tasks by day: ${formatNumber(total.tasks)} total`}
          type="stacked"
          data={points((day) =>
            Object.fromEntries(
              models.map((name) => [
                name,
                day.models.find(({ model }) => model === name)?.tasks ?? 0,
              ]),
            ),
          )}
          series={models.map((name) => ({ name, color: modelColor(name) }))}
          valueFormatter={formatNumber}
          barProps={{ isAnimationActive: false }}
        />
      </ChartCard>
      <ChartCard title="Success rate" isEmpty={total.completed + total.failed === 0}>
        <LineChart
          {...chartProps}
          aria-label="Success rate by day"
          withLegend={false}
          connectNulls={false}
          lineChartProps={{ margin: { top: 12 } }}
          yAxisProps={{ domain: [0, 1] }}
          data={points(({ completed, failed }) => ({
            'Success rate': completed + failed === 0 ? null : completed / (completed + failed),
          }))}
          series={[{ name: 'Success rate', color: 'teal.6' }]}
          valueFormatter={formatPercent}
          lineProps={{ isAnimationActive: false }}
        />
      </ChartCard>
      <ChartCard title="Time to completion" isEmpty={total.p50_seconds === null}>
        <LineChart
          {...chartProps}
          aria-label="Median and p95 time to completion by day"
          connectNulls={false}
          data={points(({ p50_seconds, p95_seconds }) => ({
            Median: p50_seconds,
            p95: p95_seconds,
          }))}
          series={[
            { name: 'Median', color: 'indigo.6' },
            { name: 'p95', color: 'orange.6' },
          ]}
          valueFormatter={formatDuration}
          lineProps={{ isAnimationActive: false }}
        />
      </ChartCard>
    </SimpleGrid>
  );
}
