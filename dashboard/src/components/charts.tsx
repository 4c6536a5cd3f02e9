/** A chart in a card, by day or by another name, and the color of a model. */
import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import { modelNames } from '@vidgen/contract/models.ts';
import type { ComponentProps } from 'react';
import { SectionCard } from './page.tsx';
import { formatDay, Note } from './text.tsx';

export const chartColors = [
  'indigo.6',
  'teal.6',
  'orange.6',
  'grape.6',
  'cyan.6',
  'pink.6',
  'lime.7',
] as const;

/** Of the name alone, so that a model has one color on every page; the contract's differ. */
export function modelColor(model: string): string {
  const names: readonly string[] = modelNames;
  const listed = names.indexOf(model);
  const letters = [...model].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  return chartColors[(listed < 0 ? letters : listed) % chartColors.length]!;
}

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
    readonly data: readonly object[];
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
    data: [...data] as Record<string, unknown>[],
    series: series.map(([name, color]) => ({ name, color })),
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
