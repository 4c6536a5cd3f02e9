/** Sends a receiver a signed call about a task that does not exist, and shows what it answered. */
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { TestCallAnswer } from '@vidgen/contract/webhook-tools.ts';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { ApiError, fieldHints } from '../api/api-error.ts';
import { post } from '../api/client.ts';
import { Code } from '../components/code.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';

type Props = { readonly account: string; readonly opened: boolean; onClose(): void };

export function TestCall({ account, opened, onClose }: Props): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title="Send a test call" size="lg">
      <TestForm account={account} />
    </Modal>
  );
}

function TestForm({ account }: { readonly account: string }): ReactNode {
  const [url, setUrl] = useState('');
  const [answer, setAnswer] = useState<TestCallAnswer | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const [hint, setHint] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isRunning, setRunning] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setRunning(true);
    setError(null);
    setAnswer(null);
    try {
      const path = `/admin/accounts/${account}/deliveries/test`;
      setAnswer(await post<TestCallAnswer>(path, { url: url.trim() }));
    } catch (trouble) {
      const said = trouble instanceof ApiError ? fieldHints(trouble, ['url']).url : undefined;
      setHint(said ?? null);
      setError(said === undefined ? (trouble as Error) : null);
      if (said !== undefined) field.current?.focus();
    } finally {
      setRunning(false);
    }
  };
  return (
    <form onSubmit={send}>
      <Stack gap="md">
        <Text fz="sm" c="dimmed">
          It looks like the call of a completed task, signed with your secret: with the headers
          webhook-id, webhook-timestamp and webhook-signature. It is not tried again.
        </Text>
        <Group align="flex-end" wrap="nowrap" gap="xs">
          <TextInput
            ref={field}
            data-autofocus
            flex={1}
            type="url"
            label="Receiver"
            placeholder="https://example.com/hook"
            value={url}
            error={hint}
            onChange={({ currentTarget }) => {
              setUrl(currentTarget.value);
              setHint(null);
            }}
          />
          <Button type="submit" loading={isRunning} disabled={url.trim() === ''}>
            Send
          </Button>
        </Group>
        <div aria-live="polite">
          {error ? <ErrorNotice error={error} what="The test was not sent" /> : null}
          {answer ? <Answered answer={answer} /> : null}
        </div>
      </Stack>
    </form>
  );
}

function Answered({ answer }: { readonly answer: TestCallAnswer }): ReactNode {
  const { answer_status: status } = answer;
  const arrived = status !== null && status >= 200 && status < 300;
  const outcome = status === null ? answer.error : `Answered ${status}`;
  const advice =
    status === null
      ? 'Nothing was answered. Calls reach public addresses, and others the operator allows.'
      : 'Answer with any status from 200 to 299 within 15 seconds.';
  return (
    <Stack gap="sm">
      <Alert color={arrived ? 'green' : 'red'} title={`${outcome} after ${answer.duration_ms} ms`}>
        {arrived ? 'The call arrived.' : advice}
      </Alert>
      {answer.answer_body ? (
        <Code code={answer.answer_body} language="json" label="answer" maxHeight={160} wrap />
      ) : null}
      <Text fz="sm" fw={500}>
        What was sent
      </Text>
      <Code code={answer.body} language="json" label="body" maxHeight={220} wrap />
    </Stack>
  );
}
