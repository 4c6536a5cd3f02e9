/** Shows and changes the URL that receives webhooks of tasks created without a callback_url. */
import { Button, Card, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { Copyable } from '../components/copyable.tsx';
import { SubmitRow } from '../components/submit-row.tsx';
import { toast } from '../components/toast.ts';
import { useApiForm } from '../components/use-api-form.ts';

export function WebhookEndpoint(): ReactNode {
  const { id, account, hasRole } = useAccount();
  const [isEditing, setEditing] = useState(false);
  const url = account?.webhook_url ?? null;
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" gap="sm">
        <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          <Text fz="sm" fw={500}>
            Account endpoint
          </Text>
          {url === null ? (
            <Text fz="sm" c="dimmed">
              None: only tasks with a callback_url send webhooks.
            </Text>
          ) : (
            <Copyable value={url} label="account endpoint" />
          )}
        </div>
        {hasRole('developer') ? (
          <Button variant="default" size="xs" onClick={() => setEditing(true)}>
            {url === null ? 'Set endpoint …' : 'Change endpoint …'}
          </Button>
        ) : null}
      </Group>
      <Modal opened={isEditing} onClose={() => setEditing(false)} title="Account endpoint">
        <EndpointForm account={id} url={url} onDone={() => setEditing(false)} />
      </Modal>
    </Card>
  );
}

function EndpointForm({
  account,
  url,
  onDone,
}: {
  readonly account: string;
  readonly url: string | null;
  onDone(): void;
}): ReactNode {
  const { form, error, onSubmit } = useApiForm({
    initialValues: { url: url ?? '' },
    async send(values) {
      const chosen = values.url.trim();
      await post(`/admin/accounts/${account}/webhook-url`, { url: chosen === '' ? null : chosen });
      await queryClient.invalidateQueries({ queryKey: keys.account(account) });
      toast(chosen === '' ? 'The account has no endpoint' : 'New tasks use this endpoint');
      onDone();
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Text fz="sm">
          It receives the webhooks of tasks that are created without a callback_url, by any key and
          in the playground. Tasks created before keep what they had.
        </Text>
        <TextInput
          data-autofocus
          type="url"
          label="URL"
          description="Leave it empty for no endpoint."
          placeholder="https://example.com/hook"
          {...form.getInputProps('url')}
        />
        <SubmitRow
          error={error}
          errorTitle="Couldn't change the endpoint"
          isPending={form.submitting}
        >
          Save endpoint
        </SubmitRow>
      </Stack>
    </form>
  );
}
