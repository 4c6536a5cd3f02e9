/** Sends a signed test webhook about a made-up task and shows the response. */
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { TestWebhookResponse } from '@vidgen/contract/admin-tasks.ts';
import { type ReactNode, useRef, useState } from 'react';
import { ApiError, fieldHints } from '../api/api-error.ts';
import { post } from '../api/client.ts';
import { Code } from '../components/code.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useAsyncAction } from '../components/use-async-action.ts';
import { webhookErrorText } from './webhook-error-text.ts';

type Props = { readonly account: string; readonly opened: boolean; onClose(): void };

export function TestWebhookDialog({ account, opened, onClose }: Props): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title="Send a test webhook" size="lg">
      <TestWebhookForm account={account} />
    </Modal>
  );
}

/** The field of the URL may have been changed since. */
type TestResult = TestWebhookResponse & { readonly sentTo: string };

function TestWebhookForm({ account }: { readonly account: string }): ReactNode {
  const [url, setUrl] = useState('');
  const [result, setResult] = useState<TestResult | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const [hint, setHint] = useState<string | null>(null);
  const send = useAsyncAction(async () => {
    setResult(null);
    try {
      const path = `/admin/accounts/${account}/deliveries/test`;
      const sentTo = url.trim();
      setResult({ ...(await post<TestWebhookResponse>(path, { url: sentTo })), sentTo });
    } catch (error) {
      const urlHint = error instanceof ApiError ? fieldHints(error, ['url']).url : undefined;
      if (urlHint === undefined) throw error;
      setHint(urlHint);
      field.current?.focus();
    }
  });
  return (
    <form onSubmit={send.run}>
      <Stack gap="md">
        <Text fz="sm" c="dimmed">
          Sends a sample “completed” event signed with your secret. Test webhooks aren’t retried.
        </Text>
        <Group align="flex-end" wrap="nowrap" gap="xs">
          <TextInput
            ref={field}
            data-autofocus
            flex={1}
            type="url"
            label="Endpoint URL"
            placeholder="https://example.com/hook"
            value={url}
            error={hint}
            onChange={({ currentTarget }) => {
              setUrl(currentTarget.value);
              setHint(null);
            }}
          />
          <Button type="submit" loading={send.isPending} disabled={url.trim() === ''}>
            Send test
          </Button>
        </Group>
        <div aria-live="polite">
          {send.error ? <ErrorNotice error={send.error} title="Couldn’t send the test" /> : null}
          {result ? <TestWebhookResult result={result} /> : null}
        </div>
      </Stack>
    </form>
  );
}

function TestWebhookResult({ result }: { readonly result: TestResult }): ReactNode {
  const { answer_status: status } = result;
  const isDelivered = status !== null && status >= 200 && status < 300;
  const outcome =
    status === null
      ? `Failed: ${webhookErrorText(result.error, result.sentTo)}`
      : `Responded with ${status}`;
  const advice =
    status === null
      ? 'No response. Make sure the URL is publicly reachable.'
      : 'Your endpoint must return a 2xx status within 15 seconds.';
  return (
    <Stack gap="sm">
      <Alert
        color={isDelivered ? 'green' : 'red'}
        title={`${outcome} after ${result.duration_ms} ms`}
      >
        {isDelivered ? 'Webhook delivered.' : advice}
      </Alert>
      {result.answer_body ? (
        <Code code={result.answer_body} language="json" label="response" maxHeight={160} wrap />
      ) : null}
      <Text fz="sm" fw={500}>
        Payload
      </Text>
      <Code code={result.body} language="json" label="payload" maxHeight={220} wrap />
    </Stack>
  );
}
