/** Sends a signed test webhook about a made-up task and shows the response. */
import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ReplayFailedResponse, TestWebhookResponse } from '@vidgen/contract/admin-tasks.ts';
import { useState } from 'react';
import { invalidate, post } from '../api/client.ts';
import { useAccount } from '../api/session.ts';
import { toast, useAsyncAction } from '../components/action.ts';
import { useApiForm } from '../components/api-form.ts';
import { Code } from '../components/code.tsx';
import { Form } from '../components/form.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { Label, Note } from '../components/text.tsx';
import { RequestHeaders, VerifySnippets } from './delivery-detail.tsx';
import { webhookErrorText } from './webhook-error-text.ts';

/** The field of the URL may have been changed since. */
type TestResult = TestWebhookResponse & { readonly sentTo: string };

export function TestWebhookForm() {
  const { id: account } = useAccount();
  const [result, setResult] = useState<TestResult | null>(null);
  const { form, submit } = useApiForm({
    initialValues: { url: '' },
    async send({ url }) {
      setResult(null);
      const path = `/admin/accounts/${account}/deliveries/test`;
      const sentTo = url.trim();
      setResult({ ...(await post<TestWebhookResponse>(path, { url: sentTo })), sentTo });
    },
  });
  return (
    <form onSubmit={submit.run} noValidate>
      <Stack gap="md">
        <Note>
          Sends a sample “completed” event signed with your secret. Test webhooks aren’t retried.
        </Note>
        <Group align="flex-end" wrap="nowrap" gap="xs">
          <TextInput
            data-autofocus
            flex={1}
            type="url"
            label="Endpoint URL"
            placeholder="https://example.com/hook"
            {...form.getInputProps('url')}
          />
          <Button type="submit" loading={form.submitting} disabled={form.values.url.trim() === ''}>
            Send test
          </Button>
        </Group>
        <div aria-live="polite">
          <ErrorNotice error={submit.error} title="Couldn’t send the test" />
          {result ? <TestWebhookResult result={result} /> : null}
        </div>
      </Stack>
    </form>
  );
}

function TestWebhookResult({ result }: { readonly result: TestResult }) {
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
      <Label>Payload</Label>
      <Code code={result.body} language="json" label="payload" maxHeight={220} wrap />
      <RequestHeaders headers={result.request_headers} />
      <VerifySnippets headers={result.request_headers} />
    </Stack>
  );
}

const spans = [
  { value: '3600', label: 'Last hour' },
  { value: '21600', label: 'Last 6 hours' },
  { value: '86400', label: 'Last 24 hours' },
  { value: '604800', label: 'Last 7 days' },
  { value: '2592000', label: 'Last 30 days' },
];

/** Replays all exhausted deliveries of a time span. */
export function ReplayFailedForm({ onDone }: { onDone(): void }) {
  const { id: account, mode } = useAccount();
  const [span, setSpan] = useState('86400');
  const replay = useAsyncAction(async () => {
    const since = Math.floor(Date.now() / 1000) - Number(span);
    const path = `/admin/accounts/${account}/deliveries/replay`;
    const { replayed } = await post<ReplayFailedResponse>(path, { since, mode });
    toast(replayed === 1 ? 'Replaying 1 webhook' : `Replaying ${replayed} webhooks`);
    await invalidate(`/admin/accounts/${account}/deliveries`);
    onDone();
  });
  return (
    <Form submit={replay} action="Replay webhooks" errorTitle="Couldn’t replay">
      <Text fz="sm">
        Replays the {mode} webhooks that ran out of retries, up to 1,000 at once. Each keeps its
        original ID and body so you can skip duplicates.
      </Text>
      <Select
        data-autofocus
        label="Time range"
        data={spans}
        value={span}
        onChange={(chosen) => setSpan(chosen ?? span)}
      />
    </Form>
  );
}
