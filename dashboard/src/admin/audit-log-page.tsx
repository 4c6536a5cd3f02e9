/** The audit log: changes by admins and members, newest first. */
import { Code, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { AuditLogEntry } from '@vidgen/contract/admin-audit.ts';
import type { ReactNode } from 'react';
import { useCursorList } from '../api/cursor-list.ts';
import { keys } from '../api/query-client.ts';
import { Copyable } from '../components/copyable.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Timestamp } from '../components/timestamp.tsx';

export function AuditLogPage(): ReactNode {
  const { subject } = useSearch({ from: '/signed-in/operator/audit-log' });
  const navigate = useNavigate({ from: '/operator/audit-log' });
  const list = useCursorList<AuditLogEntry>({
    queryKey: keys.adminPart('audit-log'),
    path: '/admin/audit-log',
    query: subject ? { subject } : {},
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
        expanded={({ detail }) => (
          <Code block m="sm">
            {JSON.stringify(detail, null, 2)}
          </Code>
        )}
        filters={
          <TextInput
            size="xs"
            w={320}
            maw="100%"
            aria-label="Target"
            placeholder="Account, key or task ID"
            value={subject ?? ''}
            onChange={({ currentTarget: { value } }) =>
              void navigate({ search: value === '' ? {} : { subject: value }, replace: true })
            }
          />
        }
        empty={
          <EmptyState title="No activity">
            {subject ? 'No activity for this ID.' : 'Changes show up here.'}
          </EmptyState>
        }
      />
    </Stack>
  );
}

const columns: Column<AuditLogEntry>[] = [
  {
    accessor: 'at',
    title: 'Date',
    noWrap: true,
    sortBy: ({ created_at }) => created_at,
    render: ({ created_at }) => <Timestamp at={created_at} />,
  },
  {
    accessor: 'actor',
    title: 'Actor',
    sortBy: ({ actor }) => actor,
    render: ({ actor }) => <Text fz="sm">{actor}</Text>,
  },
  {
    accessor: 'action',
    title: 'Action',
    fixed: true,
    noWrap: true,
    sortBy: ({ action }) => action,
    render: ({ action }) => (
      <Text fz="sm" fw={500}>
        {action}
      </Text>
    ),
  },
  {
    accessor: 'subject',
    title: 'Target',
    fixed: true,
    noWrap: true,
    render: ({ subject }) => <Copyable value={subject} label="target" />,
  },
];
