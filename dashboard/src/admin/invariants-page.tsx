/** The five invariants, recomputed from every row there is. */
import { Alert, Badge, Button, Card, Code, Group, Stack, Text } from '@mantine/core';
import { CheckCircledIcon, CrossCircledIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { AuditAnswer } from '@vidgen/contract/admin-audit.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { credits } from '../components/figures.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageSkeleton } from '../components/skeletons.tsx';

export function InvariantsPage(): ReactNode {
  const audit = useQuery({
    queryKey: keys.operatorPart('audit'),
    queryFn: () => get<AuditAnswer>('/admin/audit'),
    // It reads every row: only when somebody wants to know.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  return (
    <Stack gap="lg">
      <PageHeader
        title="Invariants"
        about="What must always hold for tasks, credits and deliveries, checked in every row."
        actions={
          <Button variant="default" loading={audit.isFetching} onClick={() => void audit.refetch()}>
            Check again
          </Button>
        }
      />
      {audit.error ? <ErrorNotice error={audit.error} what="The audit did not run" /> : null}
      {audit.isPending && !audit.error ? <PageSkeleton /> : null}
      {audit.data ? <Verdict audit={audit.data} at={audit.dataUpdatedAt} /> : null}
      {audit.data?.checks.map((check) => (
        <Check key={check.name} check={check} />
      ))}
    </Stack>
  );
}

function Verdict({ audit, at }: { readonly audit: AuditAnswer; readonly at: number }): ReactNode {
  return (
    <Alert
      color={audit.ok ? 'green' : 'red'}
      role="status"
      icon={audit.ok ? <CheckCircledIcon aria-hidden /> : <CrossCircledIcon aria-hidden />}
      title={audit.ok ? 'All of them hold' : 'At least one is broken'}
    >
      Checked <Moment at={Math.floor(at / 1000)} />.
    </Alert>
  );
}

function Check({ check }: { readonly check: AuditAnswer['checks'][number] }): ReactNode {
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text fz="sm">{check.name}</Text>
        <Badge color={check.ok ? 'green' : 'red'} style={{ flexShrink: 0 }}>
          {check.ok ? 'holds' : 'broken'}
        </Badge>
      </Group>
      <Text fz="xs" c="dimmed" mt={4}>
        {credits(check.checked)} rows looked at
      </Text>
      {check.offenders.length > 0 ? (
        <Code block mt="sm">
          {check.offenders.join('\n')}
        </Code>
      ) : null}
    </Card>
  );
}
