/** The members of an account and their roles, what former ones know, and open invitations. */
import {
  Button,
  Group,
  Paper,
  Select,
  Stack,
  Table,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { DownloadIcon, PersonIcon, PlusIcon } from '@radix-ui/react-icons';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { AccountRole, ListMembersResponse, Member } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { buildUrl, del, get, post } from '../api/client.ts';
import { invalidate, keys } from '../api/query-client.ts';
import { type AccountScope, useAccount, useSession } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice, Loaded } from '../components/error-notice.tsx';
import { ConfirmDialog } from '../components/forms.tsx';
import { PageHeader } from '../components/page-header.tsx';
import cards from '../components/phone-cards.module.css';
import { TableSkeleton } from '../components/skeletons.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { toast } from '../components/toast.ts';
import { roles } from '../components/value-labels.ts';
import { Invitations, InviteDialog } from './invitations.tsx';

export function MembersPage(): ReactNode {
  const account = useAccount();
  const [isInviting, setInviting] = useState(false);
  const canEdit = account.hasRole('owner');
  const query = useQuery({
    queryKey: keys.accountPart(account.id, 'members'),
    queryFn: () => get<ListMembersResponse>(`/admin/accounts/${account.id}/members`),
  });
  return (
    <>
      <PageHeader
        title="Members"
        description="People with access to this account."
        actions={
          canEdit ? (
            <Group gap="xs">
              <AccountArchiveButton account={account.id} />
              <Button leftSection={<PlusIcon aria-hidden />} onClick={() => setInviting(true)}>
                Invite member
              </Button>
            </Group>
          ) : undefined
        }
      />
      <Loaded
        query={query}
        errorTitle="Couldn’t load members"
        placeholder={<TableSkeleton rows={3} />}
      >
        {(data) =>
          data.items.length === 0 ? (
            <EmptyState icon={<PersonIcon />} title="No members yet">
              Invite the first owner. The first person to open the invite link joins the account.
            </EmptyState>
          ) : (
            <Paper withBorder>
              <Table.ScrollContainer
                // Contains the absolutely positioned hidden header, which would widen the page.
                pos="relative"
                minWidth={560}
                type="native"
                tabIndex={0}
                role="region"
                aria-label="Members"
                className={cards.scroll ?? ''}
              >
                <Table verticalSpacing="sm" horizontalSpacing="md" className={cards.cards ?? ''}>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>Name</Table.Th>
                      <Table.Th>Role</Table.Th>
                      <Table.Th>Joined</Table.Th>
                      <Table.Th>Last active</Table.Th>
                      <Table.Th>
                        <VisuallyHidden>Actions</VisuallyHidden>
                      </Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {data.items.map((member) => (
                      <MemberRow key={member.id} account={account} member={member} />
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
            </Paper>
          )
        }
      </Loaded>
      {canEdit ? <Invitations accountId={account.id} /> : null}
      <RoleLegend />
      <InviteDialog account={account} opened={isInviting} onClose={() => setInviting(false)} />
    </>
  );
}

function MemberRow({
  account,
  member,
}: {
  readonly account: AccountScope;
  readonly member: Member;
}): ReactNode {
  const { person } = useSession();
  const [isRemoving, setRemoving] = useState(false);
  const path = `/admin/accounts/${account.id}/members/${member.id}`;
  const refresh = () => invalidate(keys.accountPart(account.id, 'members'), keys.session);
  const change = useMutation({
    mutationFn: (role: AccountRole) => post<Member>(path, { role }),
    onSuccess: ({ name, role }) => toast(`${name} is now ${roles[role].article} ${role}`),
    onSettled: refresh,
  });
  const remove = async () => {
    await del(path);
    toast(isYou ? `You left ${account.name}` : `Removed ${member.name}`);
    await refresh();
  };
  const isYou = member.id === person.id;
  return (
    <Table.Tr data-card>
      <Table.Td data-label="Name" data-phone="title">
        <Text fz="sm" fw={500}>
          {member.name}
          {isYou ? (
            <Text span inherit c="dimmed" fw={400}>
              {' '}
              (you)
            </Text>
          ) : null}
        </Text>
        <Text fz="xs" c="dimmed">
          {member.email}
        </Text>
      </Table.Td>
      <Table.Td data-label="Role">
        {account.hasRole('owner') ? (
          <Select
            size="xs"
            w={130}
            aria-label={`Role of ${member.name}`}
            allowDeselect={false}
            value={member.role}
            disabled={change.isPending}
            data={Object.entries(roles).map(([value, { name }]) => ({ value, label: name }))}
            onChange={(role) => role && change.mutate(role as AccountRole)}
          />
        ) : (
          roles[member.role].name
        )}
        {change.error ? (
          <ErrorNotice error={change.error} title="Couldn’t change the role" />
        ) : null}
      </Table.Td>
      <Table.Td data-label="Joined" fz="sm">
        <Timestamp at={member.created_at} />
      </Table.Td>
      <Table.Td data-label="Last active" fz="sm">
        <Timestamp at={member.last_seen_at} fallback="Never" />
      </Table.Td>
      <Table.Td data-label="Actions" ta="right">
        {account.hasRole('owner') ? (
          <Button size="xs" variant="default" onClick={() => setRemoving(true)}>
            {isYou ? 'Leave' : 'Remove'}
          </Button>
        ) : null}
        <ConfirmDialog
          opened={isRemoving}
          onClose={() => setRemoving(false)}
          title={isYou ? 'Leave account?' : `Remove ${member.name}?`}
          action={isYou ? 'Leave account' : 'Remove member'}
          run={remove}
        >
          {isYou
            ? 'You’ll lose access to this account. Its keys and tasks aren’t affected.'
            : `${member.name} will lose access. Keys they created are then listed here to revoke.`}
        </ConfirmDialog>
      </Table.Td>
    </Table.Tr>
  );
}

function RoleLegend(): ReactNode {
  return (
    <Stack gap={4} mt="xl">
      <Title order={2}>Roles</Title>
      {Object.values(roles).map(({ name, description }) => (
        <Group key={name} gap={6} wrap="nowrap" align="baseline">
          <Text fz="sm" fw={500} w={84} flex="none">
            {name}
          </Text>
          <Text fz="sm" c="dimmed">
            {description}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}

/** Downloads everything of an account as one archive. */
export const AccountArchiveButton = ({ account }: { readonly account: string }): ReactNode => (
  <Button
    component="a"
    variant="default"
    leftSection={<DownloadIcon aria-hidden />}
    href={buildUrl(`/admin/accounts/${account}/archive`)}
    download
  >
    Export data
  </Button>
);
