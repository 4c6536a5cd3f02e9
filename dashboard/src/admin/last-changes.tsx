/** The last entries of the audit log about one account, and the way to all of them. */
import { Card, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ListAuditLogAnswer } from '@vidgen/contract/admin-audit.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextLink } from '../components/links.tsx';
import { Moment } from '../components/moment.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { CardSkeleton } from '../components/skeletons.tsx';

const shownEntries = 5;

export function LastChanges({ account }: { readonly account: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: keys.accountPart(account, 'audit-log'),
    queryFn: () =>
      get<ListAuditLogAnswer>('/admin/audit-log', { subject: account, limit: shownEntries }),
  });
  if (error) {
    return (
      <ErrorNotice error={error} what="The audit log is not there" retry={() => void refetch()} />
    );
  }
  if (data === undefined) return <CardSkeleton h={240} />;
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" mb="xs">
        <Text component="h2" fz="md" fw={600}>
          Audit log
        </Text>
        <TextLink to="/operator/audit-log" search={{ subject: account }} fz="sm">
          All of it
        </TextLink>
      </Group>
      <PlainTable
        label="Last entries of the audit log"
        minWidth={420}
        head={[{ title: 'When' }, { title: 'Who' }, { title: 'What' }]}
        rows={data.items.map(({ id, created_at, actor, action }) => ({
          id,
          cells: [<Moment key="at" at={created_at} />, actor, action],
        }))}
      />
    </Card>
  );
}
