/** Revenue and cost side by side: of every day, or of the rows with the largest revenue. */
import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import type { MarginRow } from '@vidgen/contract/margin.ts';
import type { ReactNode } from 'react';
import { ChartCard, chartProps } from '../components/charts.tsx';
import { formatMoney } from './money.ts';

const barsMax = 12;

export function MarginChart(props: {
  readonly rows: readonly MarginRow[];
  readonly by: string;
  readonly currency: string;
}): ReactNode {
  const { rows, by, currency } = props;
  const shown =
    by === 'day'
      ? rows
      : rows.toSorted((a, b) => sizeOf(b) - sizeOf(a) || a.key.localeCompare(b.key));
  const { xAxisProps, ...shared } = chartProps;
  return (
    <ChartCard title={`Revenue and cost by ${by}`} isEmpty={rows.length === 0}>
      <BarChart
        {...shared}
        {...(by === 'day' ? { xAxisProps } : {})}
        aria-label={`Revenue and cost by ${by}`}
        data={(by === 'day' ? shown : shown.slice(0, barsMax)).map((row) => ({
          day: row.name,
          Revenue: row.revenue ?? 0,
          Cost: row.cost,
        }))}
        series={[
          { name: 'Revenue', color: 'teal.6' },
          { name: 'Cost', color: 'orange.6' },
        ]}
        valueFormatter={(amount) => formatMoney(amount, currency)}
        yAxisProps={{ width: 72 }}
        barProps={{ isAnimationActive: false }}
      />
    </ChartCard>
  );
}

const sizeOf = ({ revenue, cost }: MarginRow): number => Math.max(revenue ?? 0, cost);
