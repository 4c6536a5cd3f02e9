/** What live tasks earned and cost, by day, account, model or provider. */
import { Alert, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { MarginResponse, MarginRow } from '@vidgen/contract/margin.ts';
import { accountFilter } from '../admin/account-link.tsx';
import { polled } from '../api/client.ts';
import { idleRefetchMs } from '../api/cursor-list.ts';
import { ChartCard } from '../components/charts.tsx';
import { FilterRow, FilterTabs, spanFilter, useFilters } from '../components/filters.tsx';
import { TextLink } from '../components/links.tsx';
import { ExportMenu } from '../components/list-table.tsx';
import { modelFilter, providerFilter } from '../components/name-filters.tsx';
import { Page, SectionCard, StatCards } from '../components/page.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { DialogButton } from '../components/setting-card.tsx';
import { EmptyState, Loaded } from '../components/states.tsx';
import { formatDay, formatMoney, formatNumber, formatPercent, Note } from '../components/text.tsx';
import { capitalize } from '../components/value-labels.ts';
import { BillForm } from './bill-form.tsx';
import { RehearsalForm } from './rehearsal-form.tsx';

const groupings = {
  day: 'By day',
  account: 'By account',
  model: 'By model',
  provider: 'By provider',
};
const filters = {
  days: spanFilter,
  by: { label: 'Group by', options: groupings, Control: FilterTabs },
  model: modelFilter,
  provider: providerFilter,
  account_id: accountFilter,
};
const dayMs = 86_400_000;
/** Of the table; the file has all rows. */
const rowsMax = 100;

export function MarginPage() {
  const state = useFilters(filters);
  const { days = spanFilter.usual, by = 'day', ...chosen } = state.values;
  const since = new Date(Date.now() - (Number(days) - 1) * dayMs).toISOString().slice(0, 10);
  const query = { by, since, limit: rowsMax, ...chosen };
  const margin = useQuery({
    ...polled<MarginResponse>('/admin/margin', idleRefetchMs, query),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
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
    >
      <FilterRow {...state} />
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
    </Page>
  );
}

function Figures(props: { readonly data: MarginResponse; readonly by: keyof typeof groupings }) {
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
      <ChartCard
        title={`Revenue and cost by ${by}`}
        label={`Revenue and cost by ${by}`}
        isEmpty={items.length === 0}
        kind="bars"
        {...(by === 'day' ? {} : { hasNames: true })}
        data={barsOf(items, by).map(({ name, revenue, cost }) => ({
          day: name,
          Revenue: revenue ?? 0,
          Cost: cost,
        }))}
        series={[
          ['Revenue', 'teal.6'],
          ['Cost', 'orange.6'],
        ]}
        format={money}
        yAxisProps={{ width: 72 }}
      />
      <SectionCard title={groupings[by]}>
        <PlainTable
          label={`Margin ${groupings[by].toLowerCase()}`}
          minWidth={680}
          columns={[capitalize(by), 'Videos', 'Revenue', 'Cost', 'Margin', 'Unknown cost']}
          figuresFrom={1}
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
          <Note mt="sm">The largest {rowsMax}. Export the list to see all of them.</Note>
        )}
      </SectionCard>
    </>
  );
}

const barsMax = 12;

/** Every day, or the largest rows, which come first. */
const barsOf = (rows: readonly MarginRow[], by: string) =>
  by === 'day' ? rows : rows.slice(0, barsMax);

const marginShare = ({ margin, revenue }: MarginRow): string =>
  margin === null || !revenue ? '–' : `${formatPercent(margin / revenue)} of revenue`;

function RowName({ row, by }: { readonly row: MarginRow; readonly by: string }) {
  if (by === 'day') return formatDay(row.key);
  if (by !== 'account') return row.name;
  return (
    <TextLink to="/operator/accounts/$id" params={{ id: row.key }} fz="sm">
      {row.name}
    </TextLink>
  );
}
