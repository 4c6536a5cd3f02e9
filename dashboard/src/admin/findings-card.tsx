/** The checks of `npm run doctor`, run on request: they connect to providers and render a clip. */
import { Badge, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DoctorResponse, Finding } from '@vidgen/contract/admin-doctor.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { SectionCard } from '../components/section-card.tsx';

const badges = {
  ok: ['OK', 'green'],
  warning: ['Warning', 'yellow'],
  error: ['Error', 'red'],
} as const satisfies Record<Finding['level'], readonly [label: string, color: string]>;

export function FindingsCard(): ReactNode {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: keys.adminPart('doctor'),
    queryFn: () => get<DoctorResponse>('/admin/doctor'),
    enabled: false,
  });
  const run = () => void refetch();
  return (
    <SectionCard
      title="Checks"
      actions={
        <Button variant="default" size="xs" loading={isFetching} onClick={run}>
          Run checks
        </Button>
      }
    >
      {error ? <ErrorNotice error={error} title="Couldn’t run the checks" retry={run} /> : null}
      {data ? (
        <FindingsTable findings={data.findings} />
      ) : (
        <Text c="dimmed" fz="sm">
          Checks the database, storage, providers and this machine.
        </Text>
      )}
    </SectionCard>
  );
}

function FindingsTable({ findings }: { readonly findings: readonly Finding[] }): ReactNode {
  return (
    <PlainTable
      label="Checks"
      minWidth={420}
      columns={[{ title: 'Result' }, { title: 'Area' }, { title: 'Finding' }]}
      rows={findings.map(({ area, level, message, remedy }) => ({
        id: `${area} ${message}`,
        cells: [
          <Badge key="level" color={badges[level][1]} variant="light">
            {badges[level][0]}
          </Badge>,
          area,
          <>
            {message}
            {remedy === null ? null : (
              <Text c="dimmed" fz="sm">
                {remedy}
              </Text>
            )}
          </>,
        ],
      }))}
    />
  );
}
