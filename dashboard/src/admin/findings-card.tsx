/** The checks of `npm run doctor`, run on request: they connect to providers and render a clip. */
import { Box, Button, Card, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DoctorResponse, Finding } from '@vidgen/contract/admin-system.ts';
import type { ReactNode } from 'react';
import { resource } from '../api/query-client.ts';
import { type Check, CheckList, CheckSummary } from '../components/check-list.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { capitalize } from '../components/format.tsx';
import { Note } from '../components/texts.tsx';
import { Timestamp } from '../components/timestamp.tsx';

export function FindingsCard(): ReactNode {
  const { data, dataUpdatedAt, error, isFetching, refetch } = useQuery({
    ...resource<DoctorResponse>('/admin/doctor'),
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
            <CheckList checks={toChecks(data.findings)} />
          </Card.Section>
        </>
      ) : (
        <Group justify="space-between" gap="sm">
          <div>
            <Text component="h2" fz="md" fw={600}>
              Checks
            </Text>
            <Note>
              Tests the database, storage, providers, previews and this machine. Nothing is charged.
            </Note>
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

/** What needs work comes first, and an area that is sound is one row. */
function toChecks(findings: readonly Finding[]): Check[] {
  const sound = findings.filter(({ level }) => level === 'ok');
  const ofLevel = (level: Finding['level']) => findings.filter((one) => one.level === level);
  return [
    ...[...ofLevel('error'), ...ofLevel('warning')].map(({ area, level, message, remedy }) => ({
      id: `${area} ${message}`,
      state: level,
      title: capitalize(area),
      description: capitalize(message),
      details: <Text fz="sm">{remedy}</Text>,
    })),
    ...[...new Set(sound.map(({ area }) => area))].map((area) => ({
      id: area,
      state: 'ok' as const,
      title: capitalize(area),
      description: sound
        .filter((one) => one.area === area)
        .map(({ message }) => capitalize(message))
        .join(' · '),
    })),
  ];
}
