/** Asks for the password again before sensitive actions. */
import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import type { SessionResponse } from '@vidgen/contract/people.ts';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session.ts';
import { useAsyncAction } from '../components/use-async-action.ts';

type Props = { readonly opened: boolean; settle(confirmed: boolean): void };

export function PasswordDialog({ opened, settle }: Props): ReactNode {
  return (
    <Modal opened={opened} onClose={() => settle(false)} title="Confirm your password" zIndex={400}>
      <ConfirmPasswordForm opened={opened} settle={settle} />
    </Modal>
  );
}

/** Rendered inside the modal, so that its state is reset each time the modal opens. */
function ConfirmPasswordForm({ settle }: Props): ReactNode {
  const { person } = useSession();
  const [password, setPassword] = useState('');
  const submit = useAsyncAction(async () => {
    const session = await post<SessionResponse>('/session/confirm', { password });
    queryClient.setQueryData(keys.session, session);
    settle(true);
  });

  return (
    <form onSubmit={submit.run}>
      <Stack gap="md">
        <Text fz="sm">
          For your security, confirm your password to continue. Signed in as <b>{person.email}</b>.
        </Text>
        <input
          type="hidden"
          name="username"
          autoComplete="username"
          value={person.email}
          readOnly
        />
        <PasswordInput
          data-autofocus
          label="Password"
          autoComplete="current-password"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          error={submit.error?.message}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => settle(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={submit.isPending} disabled={password === ''}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
