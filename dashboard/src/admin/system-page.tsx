/** The installation: version, database, queue, storage, and settings without secrets. */
import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SystemResponse } from '@vidgen/contract/admin-system.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { type DescriptionItem, DescriptionList } from '../components/description-list.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatBytes, formatDuration, formatNumber } from '../components/format.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { FindingsCard } from './findings-card.tsx';

const refetchMs = 5000;

export function SystemPage(): ReactNode {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: keys.adminPart('system'),
    queryFn: () => get<SystemResponse>('/admin/system'),
    refetchInterval: refetchMs,
  });
  return (
    <Stack gap="lg">
      <PageHeader title="System" description="Status of the process serving this page." />
      {error ? (
        <ErrorNotice
          error={error}
          title="Couldn’t load the system status"
          retry={() => void refetch()}
        />
      ) : null}
      {isPending && !error ? <PageSkeleton /> : null}
      {data ? (
        <>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <SectionCard title="Process">
              <DescriptionList items={processItems(data)} />
            </SectionCard>
            <SectionCard title="Database and storage">
              <DescriptionList items={storageItems(data)} />
            </SectionCard>
          </SimpleGrid>
          <FindingsCard />
          <QueueCard queue={data.queue} />
          <TablesCard tables={data.tables} />
          <SectionCard title="Settings">
            <DescriptionList
              items={data.settings.map(({ name, value }) => [name, withUnits(value) || '–'])}
            />
          </SectionCard>
        </>
      ) : null}
    </Stack>
  );
}

/** Returns `7 d` for `604800 s`. */
const withUnits = (value: string): string =>
  value
    .split(', ')
    .map((part) => (/^\d+ s$/.test(part) ? formatDuration(Number.parseInt(part, 10)) : part))
    .join(', ');

const processItems = (system: SystemResponse): DescriptionItem[] => [
  ['Version', system.version],
  ['Node.js', system.node],
  ['Platform', system.platform],
  ['Role', system.role],
  ['URL', system.public_url],
  ['Started', <Timestamp key="started" at={system.started_at} />],
  ['Memory', formatBytes(system.memory_bytes)],
];

function storageItems({ engine, database, storage }: SystemResponse): DescriptionItem[] {
  const size = (count: number | null) => (count === null ? '–' : formatBytes(count));
  return [
    ['Engine', engine === 'embedded' ? 'Embedded PostgreSQL' : 'PostgreSQL'],
    ['Database version', database.version],
    ['Database size', formatBytes(database.bytes)],
    ['Stored results', formatNumber(storage.results)],
    ['Storage used', size(storage.bytes)],
    ['Free space', size(storage.free_bytes)],
    ['Location', storage.place],
  ];
}

function QueueCard({ queue }: { readonly queue: SystemResponse['queue'] }): ReactNode {
  return (
    <SectionCard title="Queue">
      <PlainTable
        label="Queue"
        minWidth={420}
        columns={[
          { title: 'Job' },
          { title: 'Due', isNumeric: true },
          { title: 'Scheduled', isNumeric: true },
          { title: 'Running', isNumeric: true },
          { title: 'Longest wait', isNumeric: true },
        ]}
        rows={queue.map((row) => ({
          id: row.kind,
          cells: [
            row.kind,
            formatNumber(row.due),
            formatNumber(row.scheduled),
            formatNumber(row.running),
            row.oldest_due_seconds === null ? '–' : formatDuration(row.oldest_due_seconds),
          ],
        }))}
      />
    </SectionCard>
  );
}

const tablesShown = 10;

function TablesCard({ tables }: { readonly tables: SystemResponse['tables'] }): ReactNode {
  return (
    <SectionCard title="Largest tables">
      <PlainTable
        label="Largest tables"
        minWidth={480}
        columns={[
          { title: 'Table' },
          { title: 'Size', isNumeric: true },
          { title: 'Rows (approx.)', isNumeric: true },
          { title: 'Dead rows', isNumeric: true },
          { title: 'Oldest row', isNumeric: true },
        ]}
        rows={tables.slice(0, tablesShown).map((table) => ({
          id: table.name,
          cells: [
            table.name,
            formatBytes(table.bytes),
            formatNumber(table.rows),
            formatNumber(table.dead_rows),
            table.oldest_at === null ? '–' : <Timestamp key="oldest" at={table.oldest_at} />,
          ],
        }))}
      />
    </SectionCard>
  );
}
