/** Charts of the installation by day. A model always has the same color. */
import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import { Box, Card, Group, SimpleGrid, Stack, Text, Tooltip } from '@mantine/core';
import type { OverviewResponse } from '@vidgen/contract/admin-system.ts';
import { modelNames } from '@vidgen/contract/models.ts';
import type { ReactNode } from 'react';
import { ChartCard, chartProps, modelColor } from '../components/charts.tsx';
import { formatDuration, formatNumber, formatPercent } from '../components/format.tsx';
import { TextLink } from '../components/links.tsx';
import { Note, SmallNote } from '../components/texts.tsx';
import { providerName } from '../providers/provider-queries.ts';

type Day = OverviewResponse['days'][number];
type Point = { readonly day: string; readonly [series: string]: number | string | null };

/** `1.2M`: the axis has little room. */
const compact = new Intl.NumberFormat('en', { notation: 'compact' });

/** `2.5 min`, in one line. */
const formatMinutes = (seconds: number): string =>
  seconds < 60 ? formatDuration(seconds) : `${Number((seconds / 60).toFixed(1))} min`;

const stepsSeconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

/** Ticks at whole seconds or minutes, at most six. */
function timeAxis(days: readonly Day[]) {
  const max = Math.max(...days.map(({ p95_seconds }) => p95_seconds ?? 0));
  const step = stepsSeconds.find((seconds) => max / seconds <= 5) ?? Math.ceil(max / 5);
  const count = Math.max(1, Math.ceil(max / step));
  const ticks = Array.from({ length: count + 1 }, (_, at) => at * step);
  return { ticks, domain: [0, count * step] };
}

export function InstallationCharts(props: { readonly overview: OverviewResponse }): ReactNode {
  const { overview } = props;
  const { days, total } = overview;
  const models = modelNames.filter((name) =>
    days.some((day) => day.models.some(({ model }) => model === name)),
  );
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
          yAxisProps={{ tickFormatter: formatMinutes, ...timeAxis(days) }}
          lineProps={{ isAnimationActive: false }}
        />
      </ChartCard>
    </SimpleGrid>
  );
}

type Provider = OverviewResponse['providers'][number];
type ProviderDay = Provider['days'][number];

/** How reliable each provider was, by day. */
export function ProviderDays(props: {
  readonly providers: OverviewResponse['providers'];
}): ReactNode {
  const { providers } = props;
  return (
    <Card withBorder padding="md">
      <Text fw={500}>Providers</Text>
      <SmallNote mb="sm">
        Live and test attempts. Green days had no failures, yellow ones some, red ones over a fifth.
      </SmallNote>
      {providers.length === 0 ? (
        <Note>No attempts in this period.</Note>
      ) : (
        <Stack gap="md">
          {providers.map((provider) => (
            <ProviderRow key={provider.name} provider={provider} />
          ))}
        </Stack>
      )}
    </Card>
  );
}

function ProviderRow({ provider }: { readonly provider: Provider }): ReactNode {
  const { name, attempts, completed, failed, days } = provider;
  const ended = completed + failed;
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <TextLink to="/operator/tasks" search={{ provider: name }} fz="sm" fw={500}>
          {providerName(name)}
        </TextLink>
        <SmallNote>
          {formatNumber(attempts)} {attempts === 1 ? 'attempt' : 'attempts'}
          {ended === 0 ? '' : `, ${formatPercent(completed / ended)} completed`}
        </SmallNote>
      </Group>
      <Group gap={2} wrap="nowrap" aria-hidden>
        {days.map((day) => (
          <Tooltip key={day.day} label={describe(day)} openDelay={100}>
            <Box flex={1} h={24} bg={colorOf(day)} style={{ borderRadius: 2 }} />
          </Tooltip>
        ))}
      </Group>
    </div>
  );
}

const describe = ({ day, attempts, failed }: ProviderDay): string =>
  attempts === 0
    ? `${day}: no attempts`
    : `${day}: ${formatNumber(attempts)} attempts, ${formatNumber(failed)} failed`;

function colorOf({ completed, failed }: ProviderDay): string {
  if (completed + failed === 0) return 'var(--mantine-color-default-border)';
  if (failed === 0) return 'teal.6';
  return failed / (completed + failed) > 0.2 ? 'red.6' : 'yellow.6';
}
