/** The admin list of people: roles, password reset links, invitations of administrators. */

import { Badge, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { DotsHorizontalIcon, PlusIcon } from '@radix-ui/react-icons';
import { useSearch } from '@tanstack/react-router';
import type { CreatedInvitation, ListedPerson } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { CollapsibleFilters } from '../components/collapsible-filters.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { ExportMenu } from '../components/export-menu.tsx';
import { FilterSelect } from '../components/filter-select.tsx';
import { TextLink } from '../components/links.tsx';
import { NoMatches } from '../components/no-matches.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SearchInput } from '../components/search-input.tsx';
import { useTableUrlState } from '../components/table-url-state.ts';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { useListSearch } from '../components/use-list-search.ts';
import { InviteEmailInput } from '../members/invite-email-input.tsx';
import { roles } from '../members/roles.ts';
import { LinkDialog } from './link-dialog.tsx';
import { peopleQueryOf, peopleSearch } from './people-search.ts';

const roleOptions = [
  { value: 'administrator', label: 'Administrators' },
  { value: 'member', label: 'Members' },
] as const;
const accessOptions = [
  { value: 'open', label: 'Active' },
  { value: 'closed', label: 'Deactivated' },
] as const;

type PersonAction = 'administrator' | 'password' | 'second_factor' | 'unlink' | 'close';
type PendingAction = { readonly action: PersonAction; readonly person?: ListedPerson };

export function PeoplePage(): ReactNode {
  const [pending, setPending] = useState<PendingAction | null>(null);
  const [email, setEmail] = useState('');
  const [invitation, setInvitation] = useState<CreatedInvitation | null>(null);
  const search = peopleSearch(useSearch({ from: '/signed-in/operator/people' }));
  const { set, clear } = useListSearch(search, '/operator/people');
  const { sort } = useTableUrlState();
  const query = peopleQueryOf(search, sort);
  const list = useCursorList<ListedPerson>({
    queryKey: keys.adminPart('people', 'list'),
    path: '/admin/people',
    query,
  });
  const run = async () => {
    const { action, person } = pending ?? {};
    if (action === 'administrator') {
      const body = email.trim() === '' ? {} : { email: email.trim() };
      setInvitation(await post<CreatedInvitation>('/admin/invitations', body));
      setEmail('');
    }
    if (action === 'password' && person) {
      setInvitation(await post<CreatedInvitation>(`/admin/people/${person.id}/password-link`));
    }
    if (action === 'second_factor' && person) {
      await post(`/admin/people/${person.id}/reset-second-factor`);
      toast(`Reset two-factor authentication of ${person.email}`);
      await queryClient.invalidateQueries({ queryKey: keys.adminPart('people') });
    }
    if (action === 'unlink' && person) {
      await post(`/admin/people/${person.id}/unlink-identity`);
      toast(`Unlinked single sign-on of ${person.email}`);
      await queryClient.invalidateQueries({ queryKey: keys.adminPart('people') });
    }
    if (action === 'close' && person) {
      await post(`/admin/people/${person.id}/close`);
      toast(`Deactivated ${person.email}`);
      await queryClient.invalidateQueries({ queryKey: keys.adminPart('people') });
    }
  };
  return (
    <Stack gap="lg">
      <PageHeader
        title="People"
        description="Everyone who can sign in. Members are invited from their account."
        actions={
          <Button
            leftSection={<PlusIcon aria-hidden />}
            onClick={() => setPending({ action: 'administrator' })}
          >
            Invite administrator
          </Button>
        }
      />
      <DataTable
        name="people"
        label="People"
        list={list}
        columns={columnsFor(setPending)}
        rowId={({ id }) => id}
        filters={
          <>
            <SearchInput
              label="Search people"
              placeholder="Name or email"
              value={search.q}
              onChange={(q) => set({ q })}
            />
            <CollapsibleFilters count={[search.role, search.status].filter(Boolean).length}>
              <FilterSelect
                label="Role"
                placeholder="Any role"
                options={roleOptions}
                value={search.role}
                onChange={(role) => set({ role })}
              />
              <FilterSelect
                label="Access"
                placeholder="Any access"
                options={accessOptions}
                value={search.status}
                onChange={(status) => set({ status })}
              />
            </CollapsibleFilters>
          </>
        }
        actions={<ExportMenu path="/admin/people" query={query} />}
        empty={<NoMatches things="people" clear={clear} />}
      />
      <ConfirmPersonAction pending={pending} onClose={() => setPending(null)} run={run}>
        {pending?.action === 'administrator' ? (
          <InviteEmailInput value={email} onChange={setEmail} />
        ) : null}
      </ConfirmPersonAction>
      <LinkDialog invitation={invitation} onClose={() => setInvitation(null)} />
    </Stack>
  );
}

function ConfirmPersonAction(props: {
  readonly pending: PendingAction | null;
  onClose(): void;
  run(): Promise<void>;
  /** Further fields of the dialog. */
  readonly children: ReactNode;
}): ReactNode {
  const { pending, onClose, run, children } = props;
  const email = pending?.person?.email ?? '';
  const text = {
    administrator: {
      title: 'Invite administrator',
      action: 'Create link',
      description: 'The first person to open this link becomes an administrator with full access.',
    },
    password: {
      title: 'Reset password',
      action: 'Create link',
      description: `The first person to open this link can set a new password for ${email}.`,
    },
    second_factor: {
      title: 'Reset two-factor authentication?',
      action: 'Reset',
      description:
        `${email} signs in with the password alone until they set it up again. ` +
        'Make sure it’s really them who asked.',
    },
    unlink: {
      title: 'Unlink single sign-on?',
      action: 'Unlink',
      description:
        `${email} will be signed out everywhere, and signs in with a password from then on. ` +
        'Make sure it’s really them who asked.',
    },
    close: {
      title: 'Deactivate access?',
      action: 'Deactivate access',
      description: `${email} will be signed out everywhere and can’t sign in again.`,
    },
  }[pending?.action ?? 'administrator'];
  return (
    <ConfirmDialog
      opened={pending !== null}
      onClose={onClose}
      title={text.title}
      action={text.action}
      {...(pending?.action === 'close' ? { confirmationText: email } : { nonDestructive: true })}
      run={run}
    >
      <Text fz="sm">{text.description}</Text>
      {children}
    </ConfirmDialog>
  );
}

function columnsFor(onAction: (pending: PendingAction) => void): Column<ListedPerson>[] {
  return [
    {
      accessor: 'name',
      title: 'Name',
      fixed: true,
      isSortedByService: true,
      render: ({ name, email }) => (
        <div>
          <Text fz="sm" fw={500}>
            {name}
          </Text>
          <Text fz="xs" c="dimmed">
            {email}
          </Text>
        </div>
      ),
    },
    {
      accessor: 'roles',
      title: 'Roles',
      render: ({ administrator, accounts, closed_at, second_factor, single_sign_on }) => (
        <Group gap={6}>
          {closed_at === null ? null : <Badge color="gray">Deactivated</Badge>}
          {administrator ? <Badge color="blue">Administrator</Badge> : null}
          {second_factor ? <Badge color="green">2FA</Badge> : null}
          {single_sign_on ? <Badge color="green">SSO</Badge> : null}
          {accounts.map(({ id, name, role }) => (
            <TextLink key={id} to="/operator/accounts/$id" params={{ id }} fz="sm">
              {name} ({roles[role].name})
            </TextLink>
          ))}
        </Group>
      ),
    },
    {
      accessor: 'last_seen',
      title: 'Last active',
      noWrap: true,
      isSortedByService: true,
      render: ({ last_seen_at }) => <Timestamp at={last_seen_at} fallback="Never" />,
    },
    {
      accessor: 'created',
      title: 'Added',
      noWrap: true,
      isSortedByService: true,
      render: ({ created_at }) => <Timestamp at={created_at} />,
    },
    {
      accessor: 'actions',
      title: 'Actions',
      fixed: true,
      phone: 'corner',
      textAlign: 'right',
      render: (person) => (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              variant="subtle"
              size="compact-sm"
              aria-label={`Actions for ${person.email}`}
              disabled={person.closed_at !== null}
            >
              <DotsHorizontalIcon aria-hidden />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {person.single_sign_on ? (
              <Menu.Item onClick={() => onAction({ action: 'unlink', person })}>
                Unlink single sign-on
              </Menu.Item>
            ) : (
              <Menu.Item onClick={() => onAction({ action: 'password', person })}>
                Create password reset link
              </Menu.Item>
            )}
            {person.second_factor ? (
              <Menu.Item onClick={() => onAction({ action: 'second_factor', person })}>
                Reset two-factor authentication
              </Menu.Item>
            ) : null}
            <Menu.Item color="red" onClick={() => onAction({ action: 'close', person })}>
              Deactivate access
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ),
    },
  ];
}
