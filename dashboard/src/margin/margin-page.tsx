/** What live tasks earned and cost, by day, account, model or provider. */
import { Alert, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { MarginResponse, MarginRow } from '@vidgen/contract/margin.ts';
import { lazy, type ReactNode, Suspense } from 'react';
import { idleRefetchMs } from '../api/cursor-list.ts';
import { resource } from '../api/query-client.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/error-notice.tsx';
import { FilterTabs, spans, useFilters } from '../components/filters.tsx';
import { formatDay, formatNumber, formatPercent } from '../components/format.tsx';
import { TextLink } from '../components/links.tsx';
import { ExportMenu } from '../components/list-table.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { SectionCard, StatCards } from '../components/section-card.tsx';
import { DialogButton } from '../components/setting-card.tsx';
import { CardSkeleton } from '../components/skeletons.tsx';
import { modelFilter } from '../models/model-select.tsx';
import { BillForm } from './bill-form.tsx';
import { formatMoney } from './money.ts';
import { ProviderSelect } from './provider-select.tsx';
import { RehearsalForm } from './rehearsal-form.tsx';

const MarginChart = lazy(() =>
  import('./margin-chart.tsx').then(({ MarginChart: Chart }) => ({ default: Chart })),
);

const groupings = {
  day: 'By day',
  account: 'By account',
  model: 'By model',
  provider: 'By provider',
};
const filters = {
  days: { options: spans },
  by: { options: groupings },
  model: modelFilter,
  provider: {},
  account_id: {},
};
const dayMs = 86_400_000;
/** Of the table; the file has all rows. */
const rowsMax = 100;

export function MarginPage(): ReactNode {
  const { values, set } = useFilters(filters);
  const { days = '30', by = 'day', ...chosen } = values;
  const since = new Date(Date.now() - (Number(days) - 1) * dayMs).toISOString().slice(0, 10);
  const query = { by, since, limit: rowsMax, ...chosen };
  const margin = useQuery({
    ...resource<MarginResponse>('/admin/margin', query),
    refetchInterval: idleRefetchMs,
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Margin"
        description="What live tasks earned and what their providers bill, by creation date (UTC)."
        actions={
          <>
            <DialogButton
              label="Rehearse prices"
              button={{ variant: 'default', size: 'xs' }}
              modal={{ size: 'xl' }}
            >
              {() => <RehearsalForm />}
            </DialogButton>
            <DialogButton
              label="Compare a bill"
              title="Compare a vendor’s bill"
              button={{ variant: 'default', size: 'xs' }}
              modal={{ size: 'xl' }}
            >
              {() => <BillForm />}
            </DialogButton>
            <ExportMenu path="/admin/margin" query={query} />
          </>
        }
      />
      <Group gap="sm" align="flex-end">
        <FilterTabs
          label="Time range"
          options={spans}
          value={days}
          onChange={(next) => set({ days: next })}
        />
        <FilterTabs
          label="Group by"
          options={groupings}
          value={by}
          onChange={(next) => set({ by: next })}
        />
        <modelFilter.Control value={chosen.model} onChange={(model) => set({ model })} />
        <ProviderSelect value={chosen.provider} onChange={(provider) => set({ provider })} />
      </Group>
      <Loaded query={margin} what="the margin" height={420}>
        {(data) =>
          data.total.attempts === 0 ? (
            <EmptyState title="No live tasks in this period">
              Revenue and cost show up here when live tasks have ended.
            </EmptyState>
          ) : (
            <Figures data={data} by={by as keyof typeof groupings} />
          )
        }
      </Loaded>
    </Stack>
  );
}

function Figures(props: {
  readonly data: MarginResponse;
  readonly by: keyof typeof groupings;
}): ReactNode {
  const { data, by } = props;
  const { total, currency, items } = data;
  const money = (amount: number | null) => formatMoney(amount, currency);
  const unknownOf = ({ cost_unknown: unknown, attempts }: MarginRow) =>
    `${formatNumber(unknown)} of ${formatNumber(attempts)}`;
  const stats = [
    { title: 'Revenue', value: money(total.revenue) },
    { title: 'Cost', value: money(total.cost), hint: 'Of the attempts whose cost is known.' },
    { title: 'Margin', value: money(total.margin), description: marginShare(total) },
    { title: 'Videos sold', value: formatNumber(total.tasks) },
    {
      title: 'Unknown cost',
      value: formatPercent(total.attempts === 0 ? 0 : total.cost_unknown / total.attempts),
      description: `${unknownOf(total)} attempts`,
    },
  ];
  return (
    <>
      {data.credit_value === null ? (
        <Alert color="yellow" title="A credit has no value yet">
          Set <code>creditValue</code> in vidgen.config.ts to see revenue and margin, such as{' '}
          <code>{"{ currency: 'USD', amount: 0.01 }"}</code>.
        </Alert>
      ) : null}
      <StatCards stats={stats} cols={{ base: 2, xs: 3, md: 5 }} />
      <Suspense fallback={<CardSkeleton h={280} />}>
        <MarginChart rows={items} by={by} currency={currency} />
      </Suspense>
      <SectionCard title={groupings[by]}>
        <PlainTable
          label={`Margin ${groupings[by].toLowerCase()}`}
          minWidth={680}
          columns={[
            { title: by === 'day' ? 'Day' : by.charAt(0).toUpperCase() + by.slice(1) },
            ...numeric('Videos', 'Revenue', 'Cost', 'Margin', 'Unknown cost'),
          ]}
          rows={(by === 'day' ? items.toReversed() : items).map((row) => ({
            id: row.key,
            cells: [
              <RowName key="name" row={row} by={by} />,
              formatNumber(row.tasks),
              money(row.revenue),
              money(row.cost),
              <Text key="margin" span inherit {...((row.margin ?? 0) < 0 ? { c: 'red' } : {})}>
                {money(row.margin)}
              </Text>,
              row.cost_unknown === 0 ? '–' : unknownOf(row),
            ],
          }))}
        />
        {data.next_cursor === null ? null : (
          <Text fz="sm" c="dimmed" mt="sm">
            The first {rowsMax} rows. Export the list to see all of them.
          </Text>
        )}
      </SectionCard>
    </>
  );
}

const numeric = (...titles: readonly string[]) =>
  titles.map((title) => ({ title, isNumeric: true }) as const);

const marginShare = ({ margin, revenue }: MarginRow): string =>
  margin === null || !revenue ? '–' : `${formatPercent(margin / revenue)} of revenue`;

function RowName({ row, by }: { readonly row: MarginRow; readonly by: string }): ReactNode {
  if (by === 'day') return formatDay(row.key);
  if (by !== 'account') return row.name;
  return (
    <TextLink to="/operator/accounts/$id" params={{ id: row.key }} fz="sm">
      {row.name}
    </TextLink>
  );
}
