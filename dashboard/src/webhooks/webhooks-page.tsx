/** The webhooks of an account: endpoint, signing secret, deliveries, replays, tests. */
import { Anchor, Box, Group, SimpleGrid, Text } from '@mantine/core';
import type { ListedDelivery } from '@vidgen/contract/admin-tasks.ts';
import { serviceUrl } from '../api/base-path.ts';
import { buildUrl } from '../api/client.ts';
import { idleRefetchMs } from '../api/cursor-list.ts';
import { useAccount } from '../api/session.ts';
import { Code, CopyButton } from '../components/code.tsx';
import { atRight, type Column, column, fillWidth, timeColumn } from '../components/data-table.tsx';
import type { ListFilters } from '../components/filters.tsx';
import { ListTable } from '../components/list-table.tsx';
import { Page } from '../components/page.tsx';
import { DialogButton } from '../components/setting-card.tsx';
import { EmptyState } from '../components/states.tsx';
import { StatusBadge, TaskLink } from '../components/task-badges.tsx';
import { SmallNote, Timestamp } from '../components/text.tsx';
import { deliveryStatusLabels } from '../components/value-labels.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { ReplayFailedForm, TestWebhookForm } from './webhook-dialogs.tsx';
import { SigningSecret, WebhookEndpoint } from './webhook-endpoint.tsx';
import { lastResponseText } from './webhook-error-text.ts';

const webhooksRefetchMs = 5000;

export function WebhooksPage() {
  const { id, mode, hasRole } = useAccount();
  const disabled = !hasRole('developer');
  return (
    <Page
      title="Webhooks"
      description={
        <>
          Signed requests sent when a task completes or fails, with up to 5 retries.{' '}
          <Anchor href={buildUrl('/guides/webhooks')} fz="sm">
            Webhook guide
          </Anchor>
        </>
      }
      actions={
        <Group gap="xs">
          <DialogButton
            label="Replay failed"
            title="Replay failed webhooks"
            button={{ variant: 'default', disabled }}
          >
            {(close) => <ReplayFailedForm onDone={close} />}
          </DialogButton>
          <DialogButton
            label="Send test webhook"
            title="Send a test webhook"
            button={{ disabled }}
            modal={{ size: 'lg' }}
          >
            {() => <TestWebhookForm />}
          </DialogButton>
        </Group>
      }
    >
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <WebhookEndpoint />
        <SigningSecret />
      </SimpleGrid>
      <ListTable
        label="Webhooks"
        things="webhooks"
        path={`/admin/accounts/${id}/deliveries`}
        query={{ mode }}
        refetchMs={(rows) =>
          rows.some(({ status }) => status === 'pending') ? webhooksRefetchMs : idleRefetchMs
        }
        filters={filters}
        columns={columnsFor(id)}
        expanded={(delivery) => <DeliveryDetail delivery={delivery} />}
        newLabel={['new webhook', 'new webhooks']}
        exports
        empty={
          <EmptyState title="No webhooks yet">
            <Text fz="sm" mb="sm">
              Set a default endpoint above, or a callback_url when you create a task:
            </Text>
            <Code code={sample} language="bash" label="command" wrap />
          </EmptyState>
        }
      />
    </Page>
  );
}

const filters: ListFilters = {
  status: { label: 'Status', placeholder: 'Any status', options: deliveryStatusLabels },
};

const sample = `curl ${serviceUrl}/v1/videos/generations \\
  -H "Authorization: Bearer $VIDGEN_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "vidgen-2-5", "callback_url": "https://example.com/hook",
       "input": {"prompt": "Waves at dawn"}}'`;

const columnsFor = (account: string): Column<ListedDelivery>[] => [
  column('status', 'Status', ({ status }) => <StatusBadge status={status} />),
  column('task', { title: 'Task', ...fillWidth }, ({ task_id, prompt }) => (
    <TaskLink account={account} task={task_id} prompt={prompt} />
  )),
  column('url', { title: 'Endpoint', wraps: true }, ({ url }) => (
    <Group gap={4} wrap="nowrap">
      <Text fz="sm" lineClamp={1} title={url}>
        {url}
      </Text>
      <CopyButton value={url} label="endpoint URL" />
    </Group>
  )),
  column('calls', { title: 'Attempts', ...atRight }, ({ attempts_made }) => attempts_made),
  column('last', { title: 'Last response', wraps: true }, (delivery) => (
    <Box miw={150}>
      <Text fz="sm">{lastResponseText(delivery)}</Text>
      {delivery.next_attempt_at === null ? null : (
        <SmallNote>
          Next attempt <Timestamp at={delivery.next_attempt_at} />
        </SmallNote>
      )}
    </Box>
  )),
  timeColumn('created', 'Created', ({ created_at }) => created_at),
];
