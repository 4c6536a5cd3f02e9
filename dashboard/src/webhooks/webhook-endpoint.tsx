/** Shows and changes the URL that receives webhooks of tasks created without a callback_url. */
import { Button, Card, Group, Modal, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { keys, queryClient } from '../api/query-client.ts';
import { useAccount } from '../api/session.ts';
import { Copyable } from '../components/copyable.tsx';
import { WebhookUrlForm } from './webhook-url-form.tsx';

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
        <WebhookUrlForm
          thing="endpoint"
          field="url"
          url={url}
          save={async (chosen) => {
            await post(`/admin/accounts/${id}/webhook-url`, { url: chosen });
            await queryClient.invalidateQueries({ queryKey: keys.account(id) });
          }}
          onDone={() => setEditing(false)}
        >
          Receives webhooks for tasks created without a callback_url, from any key or the
          playground. Existing tasks aren’t affected.
        </WebhookUrlForm>
      </Modal>
    </Card>
  );
}
