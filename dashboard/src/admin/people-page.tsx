/** The admin list of people: roles, password reset links, invitations of administrators. */
import { Badge, Button, Group, Text } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import type { CreatedInvitation, ListedPerson } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { invalidate, post } from '../api/client.ts';
import { toast } from '../components/action.ts';
import { ActionsMenu } from '../components/actions-menu.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { atRight, type Column, column, timeColumn } from '../components/data-table.tsx';
import type { ListFilters } from '../components/filters.tsx';
import { TextLink } from '../components/links.tsx';
import { ListTable } from '../components/list-table.tsx';
import { Page } from '../components/page.tsx';
import { Label, SmallNote } from '../components/text.tsx';
import { roles } from '../components/value-labels.ts';
import { InviteEmailInput, LinkDialog } from '../members/invitations.tsx';

const filters: ListFilters = {
  q: { label: 'Search people', placeholder: 'Name or email', isText: true },
  role: {
    label: 'Role',
    placeholder: 'Any role',
    options: { administrator: 'Administrators', member: 'Members' },
  },
  status: {
    label: 'Access',
    placeholder: 'Any access',
    options: { open: 'Active', closed: 'Deactivated' },
  },
};

type PersonAction = 'administrator' | 'password' | 'second_factor' | 'unlink' | 'close';
type PendingAction = { readonly action: PersonAction; readonly person?: ListedPerson };

const endings = {
  second_factor: ['reset-second-factor', 'Reset two-factor authentication of'],
  unlink: ['unlink-identity', 'Unlinked single sign-on of'],
  close: ['close', 'Deactivated'],
} as const;

export function PeoplePage() {
  const [pending, setPending] = useState<PendingAction | null>(null);
  const [email, setEmail] = useState('');
  const [invitation, setInvitation] = useState<CreatedInvitation | null>(null);
  const run = async () => {
    const { action, person } = pending ?? {};
    if (action === 'administrator') {
      const body = email.trim() === '' ? {} : { email: email.trim() };
      setInvitation(await post<CreatedInvitation>('/admin/invitations', body));
      setEmail('');
    } else if (action === 'password' && person) {
      setInvitation(await post<CreatedInvitation>(`/admin/people/${person.id}/password-link`));
    } else if (action && action !== 'password' && person) {
      const [path, done] = endings[action];
      await post(`/admin/people/${person.id}/${path}`);
      toast(`${done} ${person.email}`);
      await invalidate('/admin/people');
    }
  };
  return (
    <Page
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
    >
      <ListTable
        label="People"
        things="people"
        path="/admin/people"
        filters={filters}
        columns={columnsFor(setPending)}
        exports
        empty={null}
      />
      <ConfirmPersonAction pending={pending} onClose={() => setPending(null)} run={run}>
        {pending?.action === 'administrator' ? (
          <InviteEmailInput value={email} onChange={setEmail} />
        ) : null}
      </ConfirmPersonAction>
      <LinkDialog invitation={invitation} onClose={() => setInvitation(null)} />
    </Page>
  );
}

function ConfirmPersonAction(props: {
  readonly pending: PendingAction | null;
  onClose(): void;
  run(): Promise<void>;
  /** Further fields of the dialog. */
  readonly children: ReactNode;
}) {
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

const columnsFor = (onAction: (pending: PendingAction) => void): Column<ListedPerson>[] => [
  column('name', { title: 'Name', isSortable: true, wraps: true }, ({ name, email }) => (
    <div>
      <Label>{name}</Label>
      <SmallNote>{email}</SmallNote>
    </div>
  )),
  column(
    'roles',
    { title: 'Roles', wraps: true },
    ({ administrator, accounts, closed_at, second_factor, single_sign_on }) => (
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
  ),
  timeColumn(
    'last_seen',
    { title: 'Last active', isSortable: true },
    ({ last_seen_at }) => last_seen_at,
    'Never',
  ),
  timeColumn('created', { title: 'Added', isSortable: true }, ({ created_at }) => created_at),
  column('actions', { title: 'Actions', ...atRight, phone: 'corner' }, (person) => (
    <ActionsMenu<PersonAction>
      of={person.email}
      isPlain
      isDisabled={person.closed_at !== null}
      actions={[
        person.single_sign_on
          ? ['unlink', 'Unlink single sign-on']
          : ['password', 'Create password reset link'],
        person.second_factor && ['second_factor', 'Reset two-factor authentication'],
        ['close', 'Deactivate access', 'red'],
      ]}
      onAction={(action) => onAction({ action, person })}
    />
  )),
];
