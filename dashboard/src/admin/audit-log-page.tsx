/** The audit log: changes by admins and members, newest first. Its filters are in the URL. */
import { Code, Group, Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import type { AuditLogEntry } from '@vidgen/contract/admin-audit.ts';
import type { ReactNode } from 'react';
import { useCursorList } from '../api/cursor-list.ts';
import { keys } from '../api/query-client.ts';
import { Copyable } from '../components/copyable.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ExportMenu } from '../components/export-menu.tsx';
import { TextLink } from '../components/links.tsx';
import { NoMatches } from '../components/no-matches.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { useListSearch } from '../components/use-list-search.ts';
import { AccountLink } from './account-link.tsx';
import { actionLabel } from './audit-actions.ts';
import { isAboutPeople, summaryOf, targetName } from './audit-entry.ts';
import { AuditLogFilters } from './audit-log-filters.tsx';
import { auditLogQueryOf, auditLogSearch } from './audit-log-search.ts';

export function AuditLogPage(): ReactNode {
  const search = auditLogSearch(useSearch({ from: '/signed-in/operator/audit-log' }));
  const { set, clear } = useListSearch(search, '/operator/audit-log');
  const query = auditLogQueryOf(search);
  const list = useCursorList<AuditLogEntry>({
    queryKey: keys.adminPart('audit-log'),
    path: '/admin/audit-log',
    query,
  });
  return (
    <Stack gap="lg">
      <PageHeader title="Audit log" description="Changes made by people or with the admin token." />
      <DataTable
        name="audit-log"
        label="Audit log"
        list={list}
        columns={columns}
        rowId={(entry) => entry.id}
        expanded={(entry) => <EntryDetail entry={entry} />}
        filters={<AuditLogFilters search={search} set={set} clear={clear} />}
        actions={<ExportMenu path="/admin/audit-log" query={query} />}
        empty={
          Object.keys(search).length > 0 ? (
            <NoMatches things="entries" clear={clear} />
          ) : (
            <EmptyState title="No activity">Changes show up here.</EmptyState>
          )
        }
      />
    </Stack>
  );
}

function EntryDetail({ entry }: { readonly entry: AuditLogEntry }): ReactNode {
  return (
    <Stack gap="xs" m="sm">
      <Group gap="lg">
        <Text fz="xs" c="dimmed">
          Action <Code>{entry.action}</Code>
        </Text>
        <Copyable value={entry.subject} label="target" />
      </Group>
      <Code block>{JSON.stringify(entry.detail, null, 2)}</Code>
    </Stack>
  );
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A link where the target has a page, else its name, else its ID. */
function Target({ entry }: { readonly entry: AuditLogEntry }): ReactNode {
  const { subject, action } = entry;
  if (subject.startsWith('task_')) {
    return (
      <TextLink to="/tasks/$task" params={{ task: subject }} fz="sm" underline="hover">
        Task …{subject.slice(-8)}
      </TextLink>
    );
  }
  if (uuid.test(subject) && !isAboutPeople(action)) return <AccountLink id={subject} />;
  const name = targetName(entry);
  if (name !== null) {
    return (
      <Text fz="sm" maw={220} truncate title={entry.person?.email ?? name}>
        {name}
      </Text>
    );
  }
  return <Copyable value={subject} label="target" displayValue={`…${subject.slice(-8)}`} />;
}

const columns: Column<AuditLogEntry>[] = [
  {
    accessor: 'at',
    title: 'Date',
    noWrap: true,
    render: ({ created_at }) => <Timestamp at={created_at} />,
  },
  {
    accessor: 'actor',
    title: 'Actor',
    noWrap: true,
    render: ({ actor }) => <Text fz="sm">{actor}</Text>,
  },
  {
    accessor: 'action',
    title: 'Action',
    fixed: true,
    noWrap: true,
    render: ({ action }) => (
      <Text fz="sm" fw={500} title={action}>
        {actionLabel(action)}
      </Text>
    ),
  },
  {
    accessor: 'subject',
    title: 'Target',
    fixed: true,
    noWrap: true,
    render: (entry) => <Target entry={entry} />,
  },
  {
    accessor: 'detail',
    title: 'Details',
    render: (entry) => {
      const summary = summaryOf(entry);
      return summary === '' ? null : (
        <Text fz="xs" c="dimmed" lineClamp={1} title={summary} style={{ wordBreak: 'break-all' }}>
          {summary}
        </Text>
      );
    },
  },
];
