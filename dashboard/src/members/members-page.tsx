/** The members of an account and their roles, and open invitations. */
import { Card, Select, Text } from '@mantine/core';
import { PersonIcon, PlusIcon } from '@radix-ui/react-icons';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AccountRole, ListMembersResponse, Member } from '@vidgen/contract/people.ts';
import { del, invalidate, post, queryClient, resource } from '../api/client.ts';
import { type AccountScope, sessionQuery, useAccount, useSession } from '../api/session.ts';
import { toast } from '../components/action.ts';
import { ConfirmButton } from '../components/confirm-dialog.tsx';
import { Page } from '../components/page.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { DialogButton } from '../components/setting-card.tsx';
import { EmptyState, ErrorNotice, Loaded, TableSkeleton } from '../components/states.tsx';
import { Label, SmallNote, Timestamp } from '../components/text.tsx';
import { roles } from '../components/value-labels.ts';
import { Invitations, InviteForm } from './invitations.tsx';

export function MembersPage() {
  const account = useAccount();
  const canEdit = account.hasRole('owner');
  const query = useQuery(resource<ListMembersResponse>(`/admin/accounts/${account.id}/members`));
  return (
    <Page
      title="Members"
      description="People with access to this account."
      actions={
        canEdit ? (
          <DialogButton
            urlName="invite"
            label="Invite member"
            title={`Invite to ${account.name}`}
            button={{ leftSection: <PlusIcon aria-hidden /> }}
            modal={{ closeOnClickOutside: false }}
          >
            {(close) => <InviteForm onClose={close} />}
          </DialogButton>
        ) : undefined
      }
    >
      <Loaded query={query} what="members" placeholder={<TableSkeleton rows={3} />}>
        {(data) =>
          data.items.length === 0 ? (
            <EmptyState icon={<PersonIcon />} title="No members yet">
              Invite the first owner. The first person to open the invite link joins the account.
            </EmptyState>
          ) : (
            <Card withBorder padding="md">
              <PlainTable
                label="Members"
                minWidth={560}
                columns={['Name', 'Role', 'Joined', 'Last active', 'Actions']}
                figuresFrom={4}
                rows={data.items.map((member) => ({
                  id: member.id,
                  cells: [
                    <MemberName key="name" member={member} />,
                    <MemberRole key="role" account={account} member={member} />,
                    <Timestamp key="joined" at={member.created_at} />,
                    <Timestamp key="active" at={member.last_seen_at} fallback="Never" />,
                    <RemoveMember key="remove" account={account} member={member} />,
                  ],
                }))}
              />
            </Card>
          )
        }
      </Loaded>
      {canEdit ? <Invitations /> : null}
    </Page>
  );
}

type MemberProps = { readonly account: AccountScope; readonly member: Member };

const memberPath = ({ account, member }: MemberProps): string =>
  `/admin/accounts/${account.id}/members/${member.id}`;
const refresh = ({ id }: AccountScope) => invalidate(`/admin/accounts/${id}/members`, '/session');

function MemberName({ member }: Pick<MemberProps, 'member'>) {
  const { person } = useSession();
  return (
    <>
      <Label>
        {member.name}
        {member.id === person.id ? (
          <Text span inherit c="dimmed" fw={400}>
            {' '}
            (you)
          </Text>
        ) : null}
      </Label>
      <SmallNote>{member.email}</SmallNote>
    </>
  );
}

function MemberRole(props: MemberProps) {
  const { account, member } = props;
  const change = useMutation({
    mutationFn: (role: AccountRole) => post<Member>(memberPath(props), { role }),
    onSuccess: ({ name, role }) => toast(`${name} is now ${roles[role].article} ${role}`),
    onSettled: () => refresh(account),
  });
  if (!account.hasRole('owner')) return roles[member.role].name;
  return (
    <>
      <Select
        size="xs"
        w={130}
        aria-label={`Role of ${member.name}`}
        value={member.role}
        disabled={change.isPending}
        data={Object.entries(roles).map(([value, { name }]) => ({ value, label: name }))}
        onChange={(role) => role && change.mutate(role as AccountRole)}
      />
      <ErrorNotice error={change.error} title="Couldn’t change the role" />
    </>
  );
}

function RemoveMember(props: MemberProps) {
  const { account, member } = props;
  const { person } = useSession();
  const navigate = useNavigate();
  const isYou = member.id === person.id;
  const remove = async () => {
    await del(memberPath(props));
    toast(isYou ? `You left ${account.name}` : `Removed ${member.name}`);
    if (isYou && !person.administrator) {
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      return await navigate({ to: '/' });
    }
    await refresh(account);
  };
  if (!account.hasRole('owner')) return null;
  return (
    <ConfirmButton
      label={isYou ? 'Leave' : 'Remove'}
      title={isYou ? 'Leave account?' : `Remove ${member.name}?`}
      action={isYou ? 'Leave account' : 'Remove member'}
      run={remove}
    >
      {isYou
        ? 'You’ll lose access to this account. Its keys and tasks aren’t affected.'
        : `${member.name} will lose access. Keys they created work until you revoke them.`}
    </ConfirmButton>
  );
}
