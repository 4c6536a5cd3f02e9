/** The usage of an account: tasks, credits, success rate and completion times. */
import { Group, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UsageResponse } from '@vidgen/contract/usage.ts';
import type { ReactNode } from 'react';
import { idleRefetchMs } from '../api/cursor-list.ts';
import { resource } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/error-notice.tsx';
import { FilterSelect, FilterTabs, spans, useFilters } from '../components/filters.tsx';
import { formatDuration, formatNumber, formatSuccessRate } from '../components/format.tsx';
import { LinkButton } from '../components/links.tsx';
import { ExportMenu } from '../components/list-table.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { StatCards } from '../components/section-card.tsx';
import { modelFilter } from '../models/model-select.tsx';
import { Failures } from './failures.tsx';
import { UsageCharts } from './usage-charts.tsx';
import { endedOf, type Grouping, startOfSpan } from './usage-series.ts';

const groupings: Readonly<Record<Grouping, string>> = {
  model: 'By model',
  resolution: 'By resolution',
  status: 'By status',
  key: 'By key',
};
const filters = {
  days: { options: spans },
  by: { options: groupings },
  model: modelFilter,
  key_id: {},
};

export function UsagePage(): ReactNode {
  const { id, mode } = useAccount();
  const { values, set } = useFilters(filters);
  const { days = '30', by = 'model', ...chosen } = values;
  const query = { mode, created_after: startOfSpan(Number(days)), ...chosen };
  const usage = useQuery({
    ...resource<UsageResponse>(`/admin/accounts/${id}/usage`, query),
    refetchInterval: idleRefetchMs,
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Usage"
        description={`${mode === 'live' ? 'Live' : 'Test'} tasks by creation date (UTC).`}
        actions={<ExportMenu path={`/admin/accounts/${id}/usage`} query={query} />}
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
        <FilterSelect
          label="Key"
          placeholder="All keys"
          options={Object.fromEntries(
            usage.data?.keys.map((key) => [key.id, `${key.name} …${key.last_four}`]) ?? [],
          )}
          value={chosen.key_id}
          onChange={(key) => set({ key_id: key })}
        />
      </Group>
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
              <Failures account={id} failures={data.failures} query={chosen} />
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

function Totals({ usage }: { readonly usage: UsageResponse }): ReactNode {
  const { total } = usage;
  const seconds = (value: number | null) => (value === null ? '–' : formatDuration(value));
  const stats = [
    { title: 'Tasks', value: formatNumber(total.tasks) },
    { title: 'Credits charged', value: formatNumber(total.credits) },
    { title: 'Success rate', value: formatSuccessRate(endedOf(usage)) },
    { title: 'Median time', value: seconds(total.p50_seconds) },
    { title: 'p95 time', value: seconds(total.p95_seconds) },
  ];
  return <StatCards stats={stats} cols={{ base: 2, xs: 3, md: 5 }} />;
}
