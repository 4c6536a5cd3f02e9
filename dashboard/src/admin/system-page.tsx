/** The installation: version, database, queue, storage, and settings without secrets. */
import { Badge, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SystemResponse } from '@vidgen/contract/admin-system.ts';
import type { SigningKeysResponse } from '@vidgen/contract/content-credentials.ts';
import { invalidate, polled, post, resource } from '../api/client.ts';
import { useNowMs } from '../components/clock.ts';
import { Copyable } from '../components/code.tsx';
import { ConfirmButton } from '../components/confirm-dialog.tsx';
import {
  type DescriptionItem,
  DescriptionList,
  Page,
  SectionCard,
  StatCards,
} from '../components/page.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { Loaded } from '../components/states.tsx';
import { formatBytes, formatDuration, formatNumber, Note, Timestamp } from '../components/text.tsx';
import { DoctorCard, InvariantsCard } from './system-checks.tsx';

const refetchMs = 15_000;

export function SystemPage() {
  const query = useQuery(polled<SystemResponse>('/admin/system', refetchMs));
  return (
    <Page
      title="System"
      description="The process that serves this page, its database, storage and settings."
    >
      <Loaded query={query} what="the system status" height={420}>
        {(data) => (
          <>
            <Figures system={data} />
            <DoctorCard />
            <InvariantsCard />
            <SigningKeysCard />
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              <SectionCard title="Process">
                <DescriptionList items={processItems(data)} />
              </SectionCard>
              <QueueCard queue={data.queue} />
            </SimpleGrid>
            <SettingsCard settings={data.settings} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Figures({ system }: { readonly system: SystemResponse }) {
  const { engine, database, storage, queue } = system;
  const nowMs = useNowMs();
  const size = (bytes: number | null) => (bytes === null ? '–' : formatBytes(bytes));
  const due = queue.reduce((sum, row) => sum + row.due, 0);
  const waits = queue.map((row) => row.oldest_due_seconds ?? 0);
  const stats = [
    {
      title: 'Uptime',
      value: formatUptime(nowMs / 1000 - system.started_at),
      description: `Version ${system.version}`,
    },
    {
      title: 'Jobs due',
      value: formatNumber(due),
      description:
        due === 0
          ? 'Nothing waits'
          : `Longest wait ${formatDuration(Math.round(Math.max(...waits)))}`,
    },
    { title: 'Memory', value: formatBytes(system.memory_bytes), description: 'This process' },
    {
      title: 'Database',
      value: formatBytes(database.bytes),
      description: engine === 'embedded' ? 'Embedded PostgreSQL' : 'PostgreSQL',
    },
    {
      title: 'Stored results',
      value: formatNumber(storage.results),
      description: storage.bytes === null ? 'Size not counted' : size(storage.bytes),
    },
    {
      title: 'Free space',
      value: size(storage.free_bytes),
      description: storage.free_bytes === null ? 'Not limited here' : 'For results',
    },
  ];
  return <StatCards stats={stats} cols={{ base: 2, xs: 3, lg: 6 }} />;
}

/** Returns its largest unit only: `3 d`. */
const formatUptime = (seconds: number): string =>
  formatDuration(Math.max(0, Math.round(seconds))).replace(/^(\d+ \S+) .*$/, '$1');

const roleLabels: Readonly<Record<string, string>> = {
  all: 'API and worker',
  api: 'API',
  worker: 'Worker',
};

const processItems = (system: SystemResponse): DescriptionItem[] => [
  ['Started', <Timestamp key="started" at={system.started_at} />],
  ['Role', roleLabels[system.role] ?? system.role],
  ['URL', <Copyable key="url" value={system.public_url} label="URL" />],
  ['Results', <Copyable key="place" value={system.storage.place} label="location of results" />],
  ['Database version', system.database.version],
  ['Node.js', system.node],
  ['Platform', system.platform],
];

/** Jobs in the order of a task. */
const jobLabels = {
  submit: 'Send to provider',
  poll: 'Check progress',
  notify: 'Send webhook',
  expire: 'Delete expired result',
};

function QueueCard({ queue }: { readonly queue: SystemResponse['queue'] }) {
  const count = (number = 0) => formatNumber(number);
  return (
    <SectionCard title="Queue">
      <PlainTable
        label="Queue"
        minWidth={420}
        columns={['Job', 'Due', 'Scheduled', 'Running', 'Longest wait']}
        figuresFrom={1}
        rows={Object.entries(jobLabels).map(([kind, label]) => {
          const row = queue.find((one) => one.kind === kind);
          const wait = row?.oldest_due_seconds ?? null;
          return {
            id: kind,
            cells: [
              label,
              count(row?.due),
              count(row?.scheduled),
              count(row?.running),
              wait === null ? '–' : formatDuration(Math.round(wait)),
            ],
          };
        })}
      />
    </SectionCard>
  );
}

/** Those without a value are only named: most installations set a few. */
function SettingsCard({ settings }: { readonly settings: SystemResponse['settings'] }) {
  const items = settings
    .filter(({ value }) => value !== '')
    .map(({ name, value }): DescriptionItem => [name, withUnits(value)]);
  const half = Math.ceil(items.length / 2);
  const unset = settings.filter(({ value }) => value === '').map(({ name }) => name);
  return (
    <SectionCard title="Settings">
      <Note mb="xs">Environment variables that are in effect. Secrets are never shown.</Note>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl" verticalSpacing={0}>
        <DescriptionList items={items.slice(0, half)} />
        <DescriptionList items={items.slice(half)} />
      </SimpleGrid>
      {unset.length === 0 ? null : (
        <Text fz="xs" c="dimmed" mt="md" style={{ overflowWrap: 'anywhere' }}>
          Not set: {unset.join(', ')}
        </Text>
      )}
    </SectionCard>
  );
}

/** Returns `7 d` for `604800 s`. */
const withUnits = (value: string): string =>
  value
    .split(', ')
    .map((part) => (/^\d+ s$/.test(part) ? formatDuration(Number.parseInt(part, 10)) : part))
    .join(', ');

const path = '/admin/signing-keys';

export function SigningKeysCard() {
  const query = useQuery(resource<SigningKeysResponse>(path));
  const rotate = async () => {
    await post(`${path}/rotate`);
    await invalidate(path);
  };
  return (
    <SectionCard
      title="Content credentials"
      actions={
        query.data?.can_rotate ? (
          <ConfirmButton
            label="Rotate"
            title="Rotate the signing key"
            action="Rotate"
            nonDestructive
            run={rotate}
          >
            A new key signs the videos that begin from now on. Videos that were signed before stay
            valid.
          </ConfirmButton>
        ) : null
      }
    >
      <Note mb="xs">
        Videos are signed with these certificates: a machine-readable marking, one layer of two.
      </Note>
      <Loaded query={query} what="the certificates">
        {({ items }) => (
          <PlainTable
            label="Certificates"
            minWidth={480}
            columns={['Certificate', 'State', 'Ends']}
            rows={items.map(({ id, kind, subject, ends_at, signs }) => ({
              id,
              cells: [
                subject,
                <Badge key="state" variant="light" color={signs ? 'green' : 'gray'}>
                  {signs ? 'Signs' : kind === 'authority' ? 'Certifies' : 'Retired'}
                </Badge>,
                ends_at === null ? '–' : <Timestamp key="ends" at={ends_at} />,
              ],
            }))}
          />
        )}
      </Loaded>
    </SectionCard>
  );
}
