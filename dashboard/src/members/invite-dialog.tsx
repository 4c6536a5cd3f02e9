/**
 * Creates an invitation. A click outside does not close the dialog, because the link is shown once.
 */
import { Alert, Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { AccountRole, CreatedInvitation } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import type { AccountScope } from '../api/session.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { InviteEmailInput } from './invite-email-input.tsx';
import { OneTimeLink } from './one-time-link.tsx';
import { roles } from './roles.ts';

type Props = { readonly account: AccountScope; readonly opened: boolean; onClose(): void };

export function InviteDialog({ account, opened, onClose }: Props): ReactNode {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={false}
      title={`Invite to ${account.name}`}
    >
      <InviteForm account={account} onClose={onClose} />
    </Modal>
  );
}

function InviteForm({ account, onClose }: Pick<Props, 'account' | 'onClose'>): ReactNode {
  const [role, setRole] = useState<AccountRole>('developer');
  const [email, setEmail] = useState('');
  const invite = useMutation({
    mutationFn: () =>
      post<CreatedInvitation>(`/admin/accounts/${account.id}/invitations`, {
        role,
        ...(email.trim() === '' ? {} : { email: email.trim() }),
      }),
    onSuccess: () =>
      queryClient.invalidateQueries({ queryKey: keys.accountPart(account.id, 'invitations') }),
  });
  if (invite.data) return <OneTimeLink invitation={invite.data} onDone={onClose} />;
  return (
    <Stack gap="md">
      <InviteEmailInput value={email} onChange={setEmail} />
      <Radio.Group label="Role" value={role} onChange={(value) => setRole(value as AccountRole)}>
        <Stack gap="sm" mt="xs">
          {Object.entries(roles).map(([value, { name, description }]) => (
            <Radio key={value} value={value} label={name} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      {role === 'owner' ? (
        <Alert color="yellow" variant="light">
          <Text fz="sm">Owners can spend credits, remove members and invite other owners.</Text>
        </Alert>
      ) : null}
      {invite.error ? (
        <ErrorNotice error={invite.error} title="Couldn’t create the invite" />
      ) : null}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={() => invite.mutate()} loading={invite.isPending}>
          {email.trim() === '' ? 'Create invite link' : 'Send invite'}
        </Button>
      </Group>
    </Stack>
  );
}
