/** The checks of `npm run doctor`, run on request: they connect to providers and render a clip. */
import { Box, Button, Card, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DoctorResponse, Finding } from '@vidgen/contract/admin-doctor.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { type Check, CheckList, CheckSummary } from '../components/check-list.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Timestamp } from '../components/timestamp.tsx';

export function FindingsCard(): ReactNode {
  const { data, dataUpdatedAt, error, isFetching, refetch } = useQuery({
    queryKey: keys.adminPart('doctor'),
    queryFn: () => get<DoctorResponse>('/admin/doctor'),
    enabled: false,
  });
  const run = () => void refetch();
  const actions = (
    <Button variant="default" size="xs" loading={isFetching} onClick={run}>
      Run checks
    </Button>
  );
  return (
    <Card withBorder padding="md">
      {error ? (
        <Box mb="md">
          <ErrorNotice error={error} title="Couldn’t run the checks" />
        </Box>
      ) : null}
      {data ? (
        <>
          <CheckSummary {...summaryOf(data.findings)} actions={actions}>
            Checked <Timestamp at={Math.floor(dataUpdatedAt / 1000)} />.
          </CheckSummary>
          <Card.Section mt="md" withBorder>
            <CheckList checks={data.findings.map(toCheck).sort(byState)} />
          </Card.Section>
        </>
      ) : (
        <Group justify="space-between" gap="sm">
          <div>
            <Text component="h2" fz="md" fw={600}>
              Checks
            </Text>
            <Text c="dimmed" fz="sm">
              Tests the database, storage, providers, previews and this machine. Nothing is charged.
            </Text>
          </div>
          {actions}
        </Group>
      )}
    </Card>
  );
}

const titles = {
  error: (count: number) => (count === 1 ? '1 problem found' : `${count} problems found`),
  warning: (count: number) => (count === 1 ? '1 warning' : `${count} warnings`),
};

function summaryOf(findings: readonly Finding[]) {
  for (const state of ['error', 'warning'] as const) {
    const count = findings.filter(({ level }) => level === state).length;
    if (count > 0) return { state, title: titles[state](count) };
  }
  return { state: 'ok', title: 'All checks passed' } as const;
}

const toCheck = ({ area, level, message, remedy }: Finding): Check => ({
  id: `${area} ${message}`,
  state: level,
  title: area.charAt(0).toUpperCase() + area.slice(1),
  description: message,
  ...(remedy === null ? {} : { details: <Text fz="sm">{remedy}</Text> }),
});

const order = ['error', 'warning', 'ok', 'running'];

/** What needs work comes first. */
const byState = (one: Check, other: Check): number =>
  order.indexOf(one.state) - order.indexOf(other.state);
