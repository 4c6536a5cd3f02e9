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
            Default endpoint
          </Text>
          {url === null ? (
            <Text fz="sm" c="dimmed">
              Not set. Only tasks with a callback_url send webhooks.
            </Text>
          ) : (
            <Copyable value={url} label="endpoint URL" />
          )}
        </div>
        {hasRole('developer') ? (
          <Button variant="default" size="xs" onClick={() => setEditing(true)}>
            {url === null ? 'Set endpoint' : 'Change endpoint'}
          </Button>
        ) : null}
      </Group>
      <Modal opened={isEditing} onClose={() => setEditing(false)} title="Default endpoint">
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
      toast(chosen === '' ? 'Endpoint removed' : 'Endpoint saved');
      onDone();
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Text fz="sm">
          Receives webhooks for tasks created without a callback_url, from any key or the
          playground. Existing tasks aren’t affected.
        </Text>
        <TextInput
          data-autofocus
          type="url"
          label="Endpoint URL"
          description="Leave empty to remove the endpoint."
          placeholder="https://example.com/hook"
          {...form.getInputProps('url')}
        />
        <SubmitRow
          error={error}
          errorTitle="Couldn’t save the endpoint"
          isPending={form.submitting}
        >
          Save endpoint
        </SubmitRow>
      </Stack>
    </form>
  );
}
