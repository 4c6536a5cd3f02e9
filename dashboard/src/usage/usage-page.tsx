/** The usage of an account: tasks, credits, success rate and completion times. */
import { Group, SegmentedControl, Select, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ModelName, modelNames } from '@vidgen/contract/models.ts';
import type { UsageResponse } from '@vidgen/contract/usage.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { ExportMenu } from '../components/export-menu.tsx';
import { formatDuration, formatNumber, formatPercent } from '../components/format.tsx';
import { LinkButton } from '../components/links.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { CardSkeleton } from '../components/skeletons.tsx';
import { StatCards } from '../components/stat-cards.tsx';
import { CompletionTimesTable } from './completion-times-table.tsx';
import { UsageCharts } from './usage-charts.tsx';
import { groupings, spans, type UsageSearch } from './usage-search.ts';
import { successRate } from './usage-series.ts';

const refetchMs = 30_000;
const daySeconds = 86_400;

export function UsagePage(): ReactNode {
  const { id, mode } = useAccount();
  const search = useSearch({ from: '/signed-in/accounts/$account/usage' });
  const query = {
    mode,
    created_after: startOfSpan(search.days),
    ...(search.model ? { model: search.model } : {}),
    ...(search.key ? { key_id: search.key } : {}),
  };
  const usage = useQuery({
    queryKey: keys.accountPart(id, 'usage', query),
    queryFn: () => get<UsageResponse>(`/admin/accounts/${id}/usage`, query),
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Usage"
        description={`${mode === 'live' ? 'Live' : 'Test'} tasks by creation date (UTC).`}
        actions={<ExportMenu path={`/admin/accounts/${id}/usage`} query={query} />}
      />
      <Filters search={search} usage={usage.data} />
      {usage.error ? (
        <ErrorNotice
          error={usage.error}
          title="Couldn’t load usage"
          retry={() => void usage.refetch()}
        />
      ) : null}
      {usage.isPending ? (
        <>
          <CardSkeleton h={96} />
          <CardSkeleton h={320} />
        </>
      ) : null}
      {usage.data && usage.data.total.tasks === 0 ? (
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
      ) : null}
      {usage.data && usage.data.total.tasks > 0 ? (
        <>
          <Totals total={usage.data.total} />
          <UsageCharts usage={usage.data} by={search.by} />
          <CompletionTimesTable times={usage.data.times} />
        </>
      ) : null}
    </Stack>
  );
}

/** Rounded to whole days, so that the query key stays the same all day. */
function startOfSpan(days: number): number {
  const today = Math.floor(Date.now() / 1000 / daySeconds);
  return (today - days + 1) * daySeconds;
}

function Filters(props: {
  readonly search: UsageSearch;
  readonly usage: UsageResponse | undefined;
}): ReactNode {
  const { search, usage } = props;
  const navigate = useNavigate({ from: '/accounts/$account/usage' });
  const set = (part: { [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }) =>
    void navigate({
      search: (before) => ({ ...before, ...part }) as typeof before,
      replace: true,
    });
  const apiKeys = usage?.keys ?? [];
  const keyNames = apiKeys.map(({ id, name, last_four }) => ({
    value: id,
    label: `${name} …${last_four}`,
  }));
  return (
    <Group gap="sm" align="flex-end">
      <SegmentedControl
        size="xs"
        aria-label="Time range"
        data={spans.map((days) => ({ value: String(days), label: `${days} days` }))}
        value={String(search.days)}
        onChange={(days) => set({ days: Number(days) as UsageSearch['days'] })}
      />
      <SegmentedControl
        size="xs"
        aria-label="Group by"
        data={groupings.map((by) => ({ value: by, label: `By ${by}` }))}
        value={search.by}
        onChange={(by) => set({ by })}
      />
      <Select
        size="xs"
        aria-label="Model"
        placeholder="All models"
        clearable
        data={[...modelNames]}
        value={search.model ?? null}
        onChange={(model) => set({ model: (model as ModelName | null) ?? undefined })}
      />
      <Select
        size="xs"
        aria-label="Key"
        placeholder="All keys"
        clearable
        data={keyNames}
        value={search.key ?? null}
        onChange={(key) => set({ key: key ?? undefined })}
      />
    </Group>
  );
}

function Totals({ total }: { readonly total: UsageResponse['total'] }): ReactNode {
  const rate = successRate(total);
  const seconds = (value: number | null) => (value === null ? '–' : formatDuration(value));
  const stats = [
    { title: 'Tasks', value: formatNumber(total.tasks) },
    { title: 'Credits charged', value: formatNumber(total.credits) },
    { title: 'Success rate', value: rate === null ? '–' : formatPercent(rate) },
    { title: 'Median time', value: seconds(total.p50_seconds) },
    { title: 'p95 time', value: seconds(total.p95_seconds) },
  ];
  return <StatCards stats={stats} cols={{ base: 2, xs: 3, md: 5 }} />;
}
