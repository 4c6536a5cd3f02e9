/** Everybody who can sign in: administrators, members of accounts, and links for new ones. */
import { Badge, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { DotsHorizontalIcon, PlusIcon } from '@radix-ui/react-icons';
import { useQueryClient } from '@tanstack/react-query';
import type { CreatedInvitation, ListedPerson } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { keys } from '../api/query-client.ts';
import { announce } from '../components/announce.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { TextLink } from '../components/links.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { LinkDialog } from './link-dialog.tsx';

type Act = 'administrator' | 'password' | 'close';
type Asked = { readonly act: Act; readonly person?: ListedPerson };

export function PeoplePage(): ReactNode {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [made, setMade] = useState<CreatedInvitation | null>(null);
  const list = useCursorList<ListedPerson>({
    queryKey: keys.operatorPart('people'),
    path: '/admin/people',
  });
  const run = async () => {
    const { act, person } = asked ?? {};
    if (act === 'administrator') setMade(await post<CreatedInvitation>('/admin/invitations', {}));
    if (act === 'password' && person) {
      setMade(await post<CreatedInvitation>(`/admin/people/${person.id}/password-link`));
    }
    if (act === 'close' && person) {
      await post(`/admin/people/${person.id}/close`);
      announce(`${person.email} can no longer sign in`);
      await client.invalidateQueries({ queryKey: keys.operatorPart('people') });
    }
  };
  return (
    <Stack gap="lg">
      <PageHeader
        title="People"
        about="Members are invited on the page of their account; administrators here."
        actions={
          <Button
            leftSection={<PlusIcon aria-hidden />}
            onClick={() => setAsked({ act: 'administrator' })}
          >
            Invite an administrator
          </Button>
        }
      />
      <DataTable
        name="people"
        label="People"
        list={list}
        columns={columnsFor(setAsked)}
        rowId={({ id }) => id}
        empty={<Text c="dimmed">Nobody.</Text>}
      />
      <Question asked={asked} onClose={() => setAsked(null)} run={run} />
      <LinkDialog invitation={made} onClose={() => setMade(null)} />
    </Stack>
  );
}

function Question(props: {
  readonly asked: Asked | null;
  onClose(): void;
  run(): Promise<void>;
}): ReactNode {
  const { asked, onClose, run } = props;
  const email = asked?.person?.email ?? '';
  const words = {
    administrator: {
      title: 'Invite an administrator',
      action: 'Make a link',
      about: 'Whoever opens the link first becomes an administrator and may do everything here.',
    },
    password: {
      title: 'New password',
      action: 'Make a link',
      about: `Whoever opens the link first chooses a new password for ${email}.`,
    },
    close: {
      title: 'Close the sign-in',
      action: 'Close the sign-in',
      about: `${email} is signed out everywhere and cannot sign in again.`,
    },
  }[asked?.act ?? 'administrator'];
  return (
    <ConfirmDialog
      opened={asked !== null}
      onClose={onClose}
      title={words.title}
      action={words.action}
      {...(asked?.act === 'close' ? { typed: email } : { calm: true })}
      run={run}
    >
      {words.about}
    </ConfirmDialog>
  );
}

function columnsFor(ask: (asked: Asked) => void): Column<ListedPerson>[] {
  return [
    {
      accessor: 'name',
      title: 'Name',
      fixed: true,
      sortBy: ({ name }) => name,
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
      render: ({ administrator, accounts, closed_at }) => (
        <Group gap={6}>
          {closed_at === null ? null : <Badge color="gray">closed</Badge>}
          {administrator ? <Badge color="blue">administrator</Badge> : null}
          {accounts.map(({ id, name, role }) => (
            <TextLink key={id} to="/operator/accounts/$id" params={{ id }} fz="sm">
              {role} of {name}
            </TextLink>
          ))}
        </Group>
      ),
    },
    {
      accessor: 'seen',
      title: 'Last here',
      noWrap: true,
      sortBy: ({ last_seen_at }) => last_seen_at,
      render: ({ last_seen_at }) => <Moment at={last_seen_at} absent="never" />,
    },
    {
      accessor: 'since',
      title: 'Since',
      noWrap: true,
      sortBy: ({ created_at }) => created_at,
      render: ({ created_at }) => <Moment at={created_at} />,
    },
    {
      accessor: 'actions',
      title: 'Actions',
      fixed: true,
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
            <Menu.Item onClick={() => ask({ act: 'password', person })}>
              Link for a new password
            </Menu.Item>
            <Menu.Item color="red" onClick={() => ask({ act: 'close', person })}>
              Close the sign-in
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ),
    },
  ];
}
