/** A chart in a card, by day or by another name. */
import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import type { ComponentProps } from 'react';
import { SectionCard } from './page.tsx';
import { formatDay, Note } from './text.tsx';

const dayAxis = { tickFormatter: formatDay, minTickGap: 24, interval: 'equidistantPreserveStart' };

type ChartProps = Pick<ComponentProps<typeof LineChart>, 'lineChartProps' | 'yAxisProps'> &
  Pick<ComponentProps<typeof BarChart>, 'barChartProps'>;

export function ChartCard(
  props: ChartProps & {
    readonly title: string;
    /** Says what the chart shows, to a screen reader. */
    readonly label: string;
    readonly isEmpty: boolean;
    readonly kind: 'bars' | 'stacked bars' | 'lines';
    /** Each has a `day`: a date, or another name of the point. */
    readonly data: readonly Readonly<Record<string, unknown>>[];
    readonly hasNames?: true;
    readonly series: readonly (readonly [name: string, color: string])[];
    format(value: number): string;
  },
) {
  const { title, label, isEmpty, kind, data, hasNames, series, format, ...rest } = props;
  const shared = {
    h: 220,
    role: 'img',
    dataKey: 'day',
    'aria-label': label,
    valueFormatter: format,
    ...(hasNames ? {} : { xAxisProps: dayAxis as { interval: 'equidistantPreserveStart' } }),
    // The legend shows only what follows the last dot of a key, as in "wan-2.5".
    data: data.map((point) => ({
      day: point.day,
      ...Object.fromEntries(series.map(([name], index) => [`${index}`, point[name]])),
    })),
    series: series.map(([label, color], index) => ({ name: `${index}`, label, color })),
    withLegend: series.length > 1,
    // Its own order is alphabetical.
    legendProps: { itemSorter: null },
  };
  const still = { isAnimationActive: false };
  return (
    <SectionCard title={title}>
      {isEmpty ? <Note>No data for this period.</Note> : null}
      {isEmpty || kind === 'lines' ? null : (
        <BarChart
          {...shared}
          {...rest}
          type={kind === 'bars' ? 'default' : 'stacked'}
          barProps={{ ...still, maxBarSize: 64 }}
        />
      )}
      {isEmpty || kind !== 'lines' ? null : (
        <LineChart {...shared} {...rest} connectNulls={false} lineProps={still} />
      )}
    </SectionCard>
  );
}
