/** The installation: version, engine, queue, storage, and the settings that are no secret. */
import { Card, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SystemAnswer } from '@vidgen/contract/admin-system.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { type Fact, Facts } from '../components/facts.tsx';
import { bytes, credits, duration } from '../components/figures.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';

const lookMs = 5000;

export function SystemPage(): ReactNode {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: keys.operatorPart('system'),
    queryFn: () => get<SystemAnswer>('/admin/system'),
    refetchInterval: lookMs,
  });
  return (
    <Stack gap="lg">
      <PageHeader title="System" about="As the process that answered this page sees it." />
      {error ? (
        <ErrorNotice error={error} what="It could not be loaded" retry={() => void refetch()} />
      ) : null}
      {isPending && !error ? <PageSkeleton /> : null}
      {data ? (
        <>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Part title="Process" facts={processFacts(data)} />
            <Part title="Database and storage" facts={storageFacts(data)} />
          </SimpleGrid>
          <Queue queue={data.queue} />
          <Part
            title="Settings"
            facts={data.settings.map(({ name, value }): Fact => [name, value || '–'])}
          />
        </>
      ) : null}
    </Stack>
  );
}

const processFacts = (system: SystemAnswer): Fact[] => [
  ['Version', system.version],
  ['Node', system.node],
  ['Platform', system.platform],
  ['Role', system.role],
  ['Address', system.public_url],
  ['Started', <Moment key="started" at={system.started_at} />],
  ['Memory', bytes(system.memory_bytes)],
];

function storageFacts({ engine, database, storage }: SystemAnswer): Fact[] {
  const size = (count: number | null) => (count === null ? '–' : bytes(count));
  return [
    ['Engine', engine === 'embedded' ? 'embedded (one process)' : 'PostgreSQL'],
    ['Database', database.version],
    ['Size of the database', bytes(database.bytes)],
    ['Results', credits(storage.results)],
    ['Size of the results', size(storage.bytes)],
    ['Free space', size(storage.free_bytes)],
    ['Place', storage.place],
  ];
}

function Part(props: { readonly title: string; readonly facts: readonly Fact[] }): ReactNode {
  return (
    <Card withBorder padding="md">
      <Text component="h2" fz="md" fw={600} mb="xs">
        {props.title}
      </Text>
      <Facts facts={props.facts} />
    </Card>
  );
}

function Queue({ queue }: { readonly queue: SystemAnswer['queue'] }): ReactNode {
  return (
    <Card withBorder padding="md">
      <Text component="h2" fz="md" fw={600} mb="xs">
        Queue
      </Text>
      <PlainTable
        label="Queue"
        minWidth={420}
        head={[
          { title: 'Stage' },
          { title: 'Due', isFigure: true },
          { title: 'Later', isFigure: true },
          { title: 'Running', isFigure: true },
          { title: 'Longest wait', isFigure: true },
        ]}
        rows={queue.map((row) => ({
          id: row.kind,
          cells: [
            row.kind,
            credits(row.due),
            credits(row.scheduled),
            credits(row.running),
            row.oldest_due_seconds === null ? '–' : duration(row.oldest_due_seconds),
          ],
        }))}
      />
    </Card>
  );
}
