/** The checks of `npm run doctor`, and the five invariants of every row. Both run on request. */
import { Box, Button, Card, Group, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import type { DoctorResponse, Finding } from '@vidgen/contract/admin-system.ts';
import type { ReactNode } from 'react';
import { resource } from '../api/query-client.ts';
import { type Check, CheckList, CheckSummary } from '../components/check-list.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { capitalize, formatNumber } from '../components/format.tsx';
import { Note } from '../components/texts.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { invariantLabels } from './invariant-labels.ts';

export const DoctorCard = (): ReactNode => (
  <ChecksCard<DoctorResponse>
    path="/admin/doctor"
    title="Checks"
    description="Tests database, storage, providers, previews and this machine. Nothing is charged."
    toChecks={({ findings }) => findingsToChecks(findings)}
  />
);

export const InvariantsCard = (): ReactNode => (
  <ChecksCard<AuditResponse>
    path="/admin/audit"
    title="Invariant checks"
    description={
      'What must always be true of credits, tasks and webhooks, checked in every row. This can ' +
      'take minutes on a large installation.'
    }
    toChecks={({ checks }) => checks.map(invariantToCheck)}
  />
);

function ChecksCard<Data>(props: {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  toChecks(data: Data): Check[];
}): ReactNode {
  const { path, title, description, toChecks } = props;
  const { data, dataUpdatedAt, error, isFetching, refetch } = useQuery({
    ...resource<Data>(path),
    enabled: false,
  });
  const checks = data === undefined ? null : toChecks(data);
  const actions = (
    <Button variant="default" size="xs" loading={isFetching} onClick={() => void refetch()}>
      {`Run ${title.toLowerCase()}`}
    </Button>
  );
  return (
    <Card withBorder padding="md">
      {error ? (
        <Box mb="md">
          <ErrorNotice error={error} title="Couldn’t run the checks" />
        </Box>
      ) : null}
      {checks ? (
        <>
          <CheckSummary {...summaryOf(checks)} actions={actions}>
            {title}, checked <Timestamp at={Math.floor(dataUpdatedAt / 1000)} />.
          </CheckSummary>
          <Card.Section mt="md" withBorder>
            <CheckList checks={checks} />
          </Card.Section>
        </>
      ) : (
        <Group justify="space-between" gap="sm">
          <Box flex="1 1 18rem">
            <Text component="h2" fz="md" fw={600}>
              {title}
            </Text>
            <Note>{description}</Note>
          </Box>
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

function summaryOf(checks: readonly Check[]) {
  for (const state of ['error', 'warning'] as const) {
    const count = checks.filter((check) => check.state === state).length;
    if (count > 0) return { state, title: titles[state](count) };
  }
  return { state: 'ok', title: 'All checks passed' } as const;
}

/** What needs work comes first, and an area that is sound is one row. */
function findingsToChecks(findings: readonly Finding[]): Check[] {
  const ofLevel = (level: Finding['level']) => findings.filter((one) => one.level === level);
  const sound = Map.groupBy(ofLevel('ok'), ({ area }) => area);
  return [
    ...[...ofLevel('error'), ...ofLevel('warning')].map(({ area, level, message, remedy }) => ({
      id: `${area} ${message}`,
      state: level,
      title: capitalize(area),
      description: capitalize(message),
      details: <Text fz="sm">{remedy}</Text>,
    })),
    ...[...sound].map(([area, found]) => ({
      id: area,
      state: 'ok' as const,
      title: capitalize(area),
      description: found.map(({ message }) => capitalize(message)).join(' · '),
    })),
  ];
}

function invariantToCheck({
  name,
  ok,
  checked,
  offenders,
}: AuditResponse['checks'][number]): Check {
  return {
    id: name,
    state: ok ? 'ok' : 'error',
    ...(invariantLabels[name] ?? { title: name, description: '' }),
    aside: `${formatNumber(checked)} rows`,
    details:
      offenders.length === 0 ? null : (
        <List fz="sm" ff="monospace">
          {offenders.map((offender) => (
            <List.Item key={offender}>{offender}</List.Item>
          ))}
        </List>
      ),
  };
}
