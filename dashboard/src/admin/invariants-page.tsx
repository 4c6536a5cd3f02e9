/** The result of the five invariant checks. */
import { Button, Card, List, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import type { ReactNode } from 'react';
import { resource } from '../api/query-client.ts';
import { type Check, CheckList, CheckSummary } from '../components/check-list.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.tsx';
import { TextLink } from '../components/links.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Label } from '../components/texts.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { AccountLink } from './account-link.tsx';
import { invariantLabels } from './invariant-labels.ts';

export function InvariantsPage(): ReactNode {
  const { data, dataUpdatedAt, error, isFetching, refetch } = useQuery({
    ...resource<AuditResponse>('/admin/audit'),
    // The checks read every row of the database, so they run only on request.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const run = () => void refetch();
  return (
    <Stack gap="lg">
      <PageHeader
        title="Invariants"
        description="What must always be true of credits, tasks and webhooks, checked in every row."
        actions={
          <Button variant="default" loading={isFetching} onClick={run}>
            Run checks
          </Button>
        }
      />
      <ErrorNotice error={error} title="Couldn’t run the checks" retry={run} />
      {error && !isFetching ? null : (
        <Card withBorder padding={0}>
          <Card.Section inheritPadding p="md" withBorder>
            {data && !isFetching ? (
              <Summary report={data} at={dataUpdatedAt} />
            ) : (
              <CheckSummary state="running" title="Checking">
                Every row is read, which can take minutes on a large installation.
              </CheckSummary>
            )}
          </Card.Section>
          <CheckList checks={data && !isFetching ? data.checks.map(toCheck) : runningChecks} />
        </Card>
      )}
    </Stack>
  );
}

const runningChecks: readonly Check[] = Object.entries(invariantLabels).map(([name, label]) => ({
  id: name,
  state: 'running',
  ...label,
}));

function Summary({ report, at }: { readonly report: AuditResponse; readonly at: number }) {
  const { checks } = report;
  const failed = checks.filter(({ ok }) => !ok).length;
  const rows = checks.reduce((sum, { checked }) => sum + checked, 0);
  return (
    <CheckSummary
      state={report.ok ? 'ok' : 'error'}
      title={report.ok ? 'All checks passed' : `${failed} of ${checks.length} checks failed`}
      {...(report.ok
        ? {}
        : {
            actions: (
              <CopyButton
                value={JSON.stringify(report, null, 2)}
                label="report"
                text="Copy report"
              />
            ),
          })}
    >
      {formatNumber(rows)} rows checked <Timestamp at={Math.floor(at / 1000)} />.
      {report.ok ? null : ' Back up the database before you change anything in it.'}
    </CheckSummary>
  );
}

function toCheck({ name, ok, checked, offenders }: AuditResponse['checks'][number]): Check {
  return {
    id: name,
    state: ok ? 'ok' : 'error',
    ...(invariantLabels[name] ?? { title: name, description: '' }),
    aside: `${formatNumber(checked)} rows`,
    details: offenders.length === 0 ? null : <Offenders offenders={offenders} />,
  };
}

/** The service lists so many at most. */
const offendersMax = 20;

function Offenders({ offenders }: { readonly offenders: readonly string[] }): ReactNode {
  return (
    <>
      <Label mt="xs">
        {offenders.length < offendersMax ? 'Broken by' : `Broken by, among others`}
      </Label>
      <List fz="sm" ff="monospace">
        {offenders.map((offender) => (
          <List.Item key={offender}>
            <OffenderLink offender={offender} />
          </List.Item>
        ))}
      </List>
    </>
  );
}

/** An account with its mode, a task or a webhook. */
function OffenderLink({ offender }: { readonly offender: string }): ReactNode {
  const [id = '', ...rest] = offender.split(' ');
  if (id.startsWith('task_')) {
    return (
      <TextLink to="/tasks/$task" params={{ task: id }} inherit>
        {id}
      </TextLink>
    );
  }
  if (rest.length === 0) return id;
  return (
    <>
      <AccountLink id={id} /> {rest.join(' ')}
    </>
  );
}
