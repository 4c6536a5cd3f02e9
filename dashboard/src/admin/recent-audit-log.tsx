/** The newest audit log entries about one account. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AuditLogEntry, ListAuditLogResponse } from '@vidgen/contract/admin-audit.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextLink } from '../components/links.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { CardSkeleton } from '../components/skeletons.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { actionLabel } from './audit-actions.ts';
import { summaryOf } from './audit-entry.ts';

const entriesMax = 5;

export function RecentAuditLog({ account }: { readonly account: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: keys.accountPart(account, 'audit-log'),
    queryFn: () =>
      get<ListAuditLogResponse>('/admin/audit-log', { account_id: account, limit: entriesMax }),
  });
  if (error) {
    return (
      <ErrorNotice error={error} title="Couldn’t load the audit log" retry={() => void refetch()} />
    );
  }
  if (data === undefined) return <CardSkeleton h={240} />;
  return (
    <SectionCard
      title="Audit log"
      actions={
        <TextLink to="/operator/audit-log" search={{ account }} fz="sm">
          View all
        </TextLink>
      }
    >
      <PlainTable
        label="Recent activity"
        minWidth={420}
        columns={[{ title: 'Action' }, { title: 'Actor' }, { title: 'Date' }]}
        rows={data.items.map((entry) => ({
          id: entry.id,
          cells: [
            <ActionCell key="action" entry={entry} />,
            entry.actor,
            <Timestamp key="at" at={entry.created_at} />,
          ],
        }))}
      />
    </SectionCard>
  );
}

function ActionCell({ entry }: { readonly entry: AuditLogEntry }): ReactNode {
  const summary = summaryOf(entry);
  return (
    <>
      {actionLabel(entry.action)}
      {summary === '' ? null : (
        <Text fz="xs" c="dimmed" lineClamp={1} title={summary} style={{ wordBreak: 'break-all' }}>
          {summary}
        </Text>
      )}
    </>
  );
}
