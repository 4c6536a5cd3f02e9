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
              {hasRole('developer') ? 'whsec_••••••••••••••••' : 'Visible to developers and owners'}
            </Text>
          )}
        </div>
        {hasRole('developer') ? (
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => setShown(!isShown)}>
              {isShown ? 'Hide' : 'Show'}
            </Button>
            <Button variant="default" size="xs" onClick={() => setRotating(true)}>
              Rotate secret
            </Button>
          </Group>
        ) : null}
      </Group>
      <Modal opened={isRotating} onClose={() => setRotating(false)} title="Rotate signing secret">
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
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 24 hours' },
  { value: '604800', label: 'In 7 days' },
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
    toast('Signing secret rotated');
    onDone();
  });
  return (
    <form onSubmit={rotate.run}>
      <Stack gap="md">
        <Text fz="sm">
          Until the old secret expires, webhooks are signed with both, so you can update your
          endpoint without downtime.
        </Text>
        <Select
          data-autofocus
          label="Expire the old secret"
          data={keepOptions}
          allowDeselect={false}
          value={keepSeconds}
          onChange={(chosen) => setKeepSeconds(chosen ?? keepSeconds)}
        />
        <SubmitRow
          error={rotate.error}
          errorTitle="Couldn’t rotate the secret"
          isPending={rotate.isPending}
        >
          Rotate secret
        </SubmitRow>
      </Stack>
    </form>
  );
}
