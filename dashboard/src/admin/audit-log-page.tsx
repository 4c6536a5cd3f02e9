/** The audit log: changes by admins and members, newest first. Its filters are in the URL. */
import { Code, Group, Select, Stack, Text } from '@mantine/core';
import type { AuditLogEntry } from '@vidgen/contract/admin-audit.ts';
import type { ListPeopleResponse } from '@vidgen/contract/people.ts';
import { get } from '../api/client.ts';
import { Copyable } from '../components/code.tsx';
import { type Column, column, timeColumn } from '../components/data-table.tsx';
import { dayFilters, type FilterValue, type ListFilters } from '../components/filters.tsx';
import { TextLink } from '../components/links.tsx';
import { ListTable } from '../components/list-table.tsx';
import { RemoteSelect } from '../components/name-filters.tsx';
import { Page } from '../components/page.tsx';
import { EmptyState } from '../components/states.tsx';
import { SmallNote } from '../components/text.tsx';
import { AccountLink, accountFilter } from './account-link.tsx';
import { actionLabel, actionOptions, isAboutPeople, summaryOf, targetName } from './audit-entry.ts';

/** Actors that are no person come first. */
const programs = ['admin token', 'vidgen'];

async function loadActors(q: string) {
  const query = { limit: 20, sort: 'name', ...(q === '' ? {} : { q }) };
  const { items } = await get<ListPeopleResponse>('/admin/people', query);
  const people = items.map(({ email, name }) => ({ value: email, label: `${name} (${email})` }));
  const others = programs
    .filter((program) => program.includes(q.toLowerCase()))
    .map((program) => ({ value: program, label: program }));
  return [...others, ...people];
}

const ActorSelect = (props: FilterValue) => (
  <RemoteSelect
    {...props}
    label="Actor"
    placeholder="Anyone"
    valueLabel={props.value}
    load={loadActors}
  />
);

const ActionSelect = ({ value, onChange }: FilterValue) => (
  <Select
    size="xs"
    w={170}
    aria-label="Action"
    placeholder="Any action"
    searchable
    clearable
    data={actionOptions}
    value={value ?? null}
    onChange={(action) => onChange(action ?? undefined)}
  />
);

const filters: ListFilters = {
  subject: {
    label: 'Target',
    placeholder: 'Account, key or task ID',
    isText: true,
  },
  actor: { label: 'Actor', Control: ActorSelect },
  action: { label: 'Action', Control: ActionSelect },
  account_id: accountFilter,
  ...dayFilters,
};

export function AuditLogPage() {
  return (
    <Page title="Audit log" description="Changes made by people or with the admin token.">
      <ListTable
        label="Audit log"
        things="entries"
        path="/admin/audit-log"
        filters={filters}
        columns={columns}
        expanded={(entry) => <EntryDetail entry={entry} />}
        exports
        empty={<EmptyState title="No activity">Changes show up here.</EmptyState>}
      />
    </Page>
  );
}

function EntryDetail({ entry }: { readonly entry: AuditLogEntry }) {
  return (
    <Stack gap="xs" m="sm">
      <Group gap="lg">
        <SmallNote>
          Action <Code>{entry.action}</Code>
        </SmallNote>
        <Copyable value={entry.subject} label="target" />
      </Group>
      <Code block>{JSON.stringify(entry.detail, null, 2)}</Code>
    </Stack>
  );
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A link where the target has a page, else its name, else its ID. */
function Target({ entry }: { readonly entry: AuditLogEntry }) {
  const { subject, action } = entry;
  if (subject.startsWith('task_')) {
    return (
      <TextLink to="/tasks/$task" params={{ task: subject }} fz="sm">
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
  timeColumn('at', 'Date', ({ created_at }) => created_at),
  column('actor', 'Actor', ({ actor }) => actor),
  column('action', { title: 'Action', phone: 'title' }, ({ action }) => (
    <Text fz="sm" fw={500} title={action}>
      {actionLabel(action)}
    </Text>
  )),
  column('subject', 'Target', (entry) => <Target entry={entry} />),
  column('detail', { title: 'Details', wraps: true }, (entry) => {
    const summary = summaryOf(entry);
    return summary === '' ? null : (
      <Text fz="xs" c="dimmed" lineClamp={1} title={summary} style={{ wordBreak: 'break-all' }}>
        {summary}
      </Text>
    );
  }),
];
