/** The result of the five invariant checks. */
import { Alert, Badge, Button, Card, Code, Group, Stack, Text } from '@mantine/core';
import { CheckCircledIcon, CrossCircledIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { AuditResponse } from '@vidgen/contract/admin-audit.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';
import { Timestamp } from '../components/timestamp.tsx';

export function InvariantsPage(): ReactNode {
  const report = useQuery({
    queryKey: keys.adminPart('audit'),
    queryFn: () => get<AuditResponse>('/admin/audit'),
    // The checks read every row of the database, so they run only on request.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Invariants"
        description="Consistency checks for tasks, credits and webhooks, run over every row."
        actions={
          <Button
            variant="default"
            loading={report.isFetching}
            onClick={() => void report.refetch()}
          >
            Run checks
          </Button>
        }
      />
      {report.error ? <ErrorNotice error={report.error} title="Couldn’t run the checks" /> : null}
      {report.isPending && !report.error ? <PageSkeleton /> : null}
      {report.data ? <InvariantSummary report={report.data} at={report.dataUpdatedAt} /> : null}
      {report.data?.checks.map((check) => (
        <InvariantCard key={check.name} check={check} />
      ))}
    </Stack>
  );
}

function InvariantSummary({
  report,
  at,
}: {
  readonly report: AuditResponse;
  readonly at: number;
}): ReactNode {
  return (
    <Alert
      color={report.ok ? 'green' : 'red'}
      role="status"
      icon={report.ok ? <CheckCircledIcon aria-hidden /> : <CrossCircledIcon aria-hidden />}
      title={report.ok ? 'All checks passed' : 'Some checks failed'}
    >
      Checked <Timestamp at={Math.floor(at / 1000)} />.
    </Alert>
  );
}

function InvariantCard({ check }: { readonly check: AuditResponse['checks'][number] }): ReactNode {
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text fz="sm">{check.name.charAt(0).toUpperCase() + check.name.slice(1)}</Text>
        <Badge color={check.ok ? 'green' : 'red'} style={{ flexShrink: 0 }}>
          {check.ok ? 'Passed' : 'Failed'}
        </Badge>
      </Group>
      <Text fz="xs" c="dimmed" mt={4}>
        {formatNumber(check.checked)} rows checked
      </Text>
      {check.offenders.length > 0 ? (
        <Code block mt="sm">
          {check.offenders.join('\n')}
        </Code>
      ) : null}
    </Card>
  );
}
