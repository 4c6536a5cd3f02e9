/** Shows and rotates the secret that webhooks are signed with. */
import { Button, Card, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { Copyable } from '../components/copyable.tsx';
import { SubmitRow } from '../components/submit-row.tsx';
import { toast } from '../components/toast.ts';
import { useAsyncAction } from '../components/use-async-action.ts';

export function SigningSecret(): ReactNode {
  const { id, account, hasRole } = useAccount();
  const [isShown, setShown] = useState(false);
  const [isRotating, setRotating] = useState(false);
  const secret = account?.webhook_secret ?? null;
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" gap="sm">
        <div>
          <Text fz="sm" fw={500}>
            Signing secret
          </Text>
          {secret !== null && isShown ? (
            <Copyable value={secret} label="signing secret" />
          ) : (
            <Text fz="sm" c="dimmed">
              {hasRole('developer')
                ? 'whsec_••••••••••••••••'
                : 'Developers and owners can see it.'}
            </Text>
          )}
        </div>
        {hasRole('developer') ? (
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => setShown(!isShown)}>
              {isShown ? 'Hide' : 'Show'}
            </Button>
            <Button variant="default" size="xs" onClick={() => setRotating(true)}>
              Rotate …
            </Button>
          </Group>
        ) : null}
      </Group>
      <Modal opened={isRotating} onClose={() => setRotating(false)} title="Rotate the secret">
        <RotateSecretForm
          account={id}
          onDone={() => {
            setRotating(false);
            setShown(true);
          }}
        />
      </Modal>
    </Card>
  );
}

const keepOptions = [
  { value: '0', label: 'Not at all: it is worthless at once' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
];

function RotateSecretForm({
  account,
  onDone,
}: {
  readonly account: string;
  onDone(): void;
}): ReactNode {
  const [keepSeconds, setKeepSeconds] = useState('86400');
  const rotate = useAsyncAction(async () => {
    const body = { keep_previous_seconds: Number(keepSeconds) };
    await post(`/admin/accounts/${account}/webhook-secret`, body);
    await queryClient.invalidateQueries({ queryKey: keys.account(account) });
    toast('Calls are signed with the new secret');
    onDone();
  });
  return (
    <form onSubmit={rotate.run}>
      <Stack gap="md">
        <Text fz="sm">
          Calls carry both signatures while the old secret lives, so receivers can change at their
          own time.
        </Text>
        <Select
          data-autofocus
          label="Keep signing with the old one"
          data={keepOptions}
          allowDeselect={false}
          value={keepSeconds}
          onChange={(chosen) => setKeepSeconds(chosen ?? keepSeconds)}
        />
        <SubmitRow
          error={rotate.error}
          errorTitle="The secret was not rotated"
          isPending={rotate.isPending}
        >
          Rotate
        </SubmitRow>
      </Stack>
    </form>
  );
}
