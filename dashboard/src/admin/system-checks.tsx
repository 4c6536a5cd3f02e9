/** The checks of `npm run doctor`, and the five invariants of every row. Both run on request. */
import { Box, Button, Card, Group, List, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { CheckIcon, Cross2Icon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import type { DoctorResponse, Finding } from '@vidgen/contract/admin-system.ts';
import type { ReactNode } from 'react';
import { resource } from '../api/client.ts';
import { CardTitle } from '../components/page.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { formatNumber, Label, Note, Timestamp } from '../components/text.tsx';
import { capitalize } from '../components/value-labels.ts';
import classes from './check-list.module.css';
import { invariantLabels } from './invariant-labels.ts';

export const DoctorCard = () => (
  <ChecksCard<DoctorResponse>
    path="/admin/doctor"
    title="Checks"
    description="Tests database, storage, providers, previews and this machine. Nothing is charged."
    toChecks={({ findings }) => findingsToChecks(findings)}
  />
);

export const InvariantsCard = () => (
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
}) {
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
            <CardTitle>{title}</CardTitle>
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

type CheckState = 'ok' | 'warning' | 'error';

const icons = {
  ok: ['Passed', 'green', CheckIcon],
  warning: ['Warning', 'yellow', ExclamationTriangleIcon],
  error: ['Failed', 'red', Cross2Icon],
} as const;

type Check = {
  readonly id: string;
  readonly state: CheckState;
  readonly title: string;
  /** What is checked, or what was found. */
  readonly description: ReactNode;
  /** Stands at the right of the title, such as a number of rows. */
  readonly aside?: ReactNode;
  /** Stands below the description, such as what to do. */
  readonly details?: ReactNode;
};

function CheckSummary(props: {
  readonly state: CheckState;
  readonly title: string;
  readonly children: ReactNode;
  /** Shown at the right. */
  readonly actions?: ReactNode;
}) {
  const { state, title, children, actions } = props;
  return (
    <Group justify="space-between" gap="sm" role="status">
      <Group gap="md" wrap="nowrap" flex="1 1 16rem" miw={0}>
        <StateIcon state={state} isLarge />
        <div>
          <CardTitle>{title}</CardTitle>
          <Note>{children}</Note>
        </div>
      </Group>
      {actions}
    </Group>
  );
}

function CheckList({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <ul className={classes.list}>
      {checks.map(({ id, state, title, description, aside, details }) => (
        <li key={id} className={classes.item}>
          <StateIcon state={state} />
          <div className={classes.content}>
            <Group justify="space-between" gap="sm" wrap="nowrap">
              <Label>{title}</Label>
              <Text fz="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                {aside}
              </Text>
            </Group>
            <Note>{description}</Note>
            {details}
          </div>
        </li>
      ))}
    </ul>
  );
}

function StateIcon(props: { readonly state: CheckState; readonly isLarge?: true }) {
  const size = props.isLarge ? 40 : 22;
  const [label, color, Icon] = icons[props.state];
  return (
    <ThemeIcon variant="light" color={color} size={size} radius="xl">
      <Icon aria-hidden width={size * 0.6} height={size * 0.6} />
      {props.isLarge ? null : <VisuallyHidden>{label}</VisuallyHidden>}
    </ThemeIcon>
  );
}
