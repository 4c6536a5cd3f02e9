/** The details of a webhook delivery: attempts, body, replay. */
import { Box, Group, SimpleGrid, Stack, Timeline } from '@mantine/core';
import { CheckIcon, ClockIcon, Cross2Icon } from '@radix-ui/react-icons';
import type { Delivery, DeliveryAttempt } from '@vidgen/contract/admin-tasks.ts';
import { invalidate, post } from '../api/client.ts';
import { useAccount } from '../api/session.ts';
import { toast } from '../components/action.ts';
import { Code, CodeTabs, Copyable } from '../components/code.tsx';
import { Disclosure } from '../components/disclosure.tsx';
import { ActionButton } from '../components/setting-card.tsx';
import { formatNumber, Label, Note, Timestamp } from '../components/text.tsx';
import { verifySnippets } from './verify-snippets.ts';
import { webhookErrorText } from './webhook-error-text.ts';

export function DeliveryDetail({ delivery }: { readonly delivery: Delivery }) {
  // Of the newest attempt.
  const headers = delivery.attempts[0]?.request_headers;
  return (
    <Box p="md">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="sm">
          <Group justify="space-between">
            <Copyable value={delivery.id} label="webhook ID" />
            <ReplayButton delivery={delivery} />
          </Group>
          <DeliveryAttempts delivery={delivery} />
          <RequestHeaders headers={headers} />
        </Stack>
        <Stack gap="xs" miw={0}>
          <Label>Payload</Label>
          <Code
            code={formatJson(delivery.body)}
            language="json"
            label="payload"
            maxHeight={280}
            wrap
          />
          <VerifySnippets headers={headers} />
        </Stack>
      </SimpleGrid>
    </Box>
  );
}

type HeadersProps = { readonly headers: DeliveryAttempt['request_headers'] | undefined };

export function RequestHeaders({ headers }: HeadersProps) {
  if (!headers) return null;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Stack gap="xs" miw={0}>
      <Label>Request headers</Label>
      <Code code={lines.join('\n')} language="text" label="request headers" wrap />
    </Stack>
  );
}

/** A viewer is not shown the signature, and has none to verify. */
export function VerifySnippets({ headers }: HeadersProps) {
  if (!headers?.['webhook-signature']) return null;
  return (
    <Disclosure label="Verify the signature">
      <CodeTabs snippets={verifySnippets} maxHeight={320} />
    </Disclosure>
  );
}

export function ReplayButton({ delivery }: { readonly delivery: Delivery }) {
  const { hasRole } = useAccount();
  const replay = async () => {
    await post(`/admin/deliveries/${delivery.id}/replay`);
    toast('Replaying webhook');
    await invalidate(
      `/admin/accounts/${delivery.account_id}`,
      `/admin/tasks/${delivery.task_id}`,
      '/admin/deliveries',
    );
  };
  const disabled = !hasRole('developer');
  return (
    <ActionButton label="Replay" errorTitle="Couldn’t replay" disabled={disabled} run={replay} />
  );
}

/** The newest ones first, after the next scheduled attempt. */
export function DeliveryAttempts({ delivery }: { readonly delivery: Delivery }) {
  const { next_attempt_at: next, attempts } = delivery;
  return (
    <Timeline bulletSize={22} lineWidth={2} active={attempts.length + 1}>
      {next === null ? null : (
        <Timeline.Item color="yellow" bullet={<ClockIcon aria-hidden />} title="Next attempt">
          <Note>
            <Timestamp at={next} />
          </Note>
        </Timeline.Item>
      )}
      {attempts.map((attempt) => attemptItem(attempt, delivery.url))}
      {attempts.length === 0 && next === null ? (
        <Timeline.Item color="gray" title="No attempts yet" />
      ) : null}
    </Timeline>
  );
}

/** A function instead of a component, because `Timeline` sets props on its direct children. */
function attemptItem(attempt: DeliveryAttempt, url: string) {
  const { answer_status: status, answer_body: body, error } = attempt;
  const isDelivered = status !== null && status >= 200 && status < 300;
  const outcome = status === null ? webhookErrorText(error, url) : `HTTP ${status}`;
  const replay = attempt.round > 1 ? ` (replay ${attempt.round - 1})` : '';
  return (
    <Timeline.Item
      key={attempt.number}
      color={isDelivered ? 'green' : 'red'}
      bullet={isDelivered ? <CheckIcon aria-hidden /> : <Cross2Icon aria-hidden />}
      title={<Label>{`Attempt ${attempt.number}${replay}: ${outcome}`}</Label>}
    >
      <Note>
        <Timestamp at={attempt.started_at} /> · {formatNumber(attempt.duration_ms)} ms
      </Note>
      {body ? <Code code={body} language="json" label="response" maxHeight={120} wrap /> : null}
    </Timeline.Item>
  );
}

function formatJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
