/** Shows a new API key, a line for an `.env` file, and a command that uses it. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import type { CreatedApiKey } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { serviceUrl } from '../api/base-path.ts';
import { Code } from '../components/code.tsx';

export function NewKeyPanel(props: { readonly apiKey: CreatedApiKey; onDone(): void }): ReactNode {
  const { apiKey, onDone } = props;
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<ExclamationTriangleIcon aria-hidden />}>
        Copy this key now. You won’t be able to see it again. Anyone with it can spend your credits.
      </Alert>
      <KeySection title="API key">
        <Code code={apiKey.key} language="bash" label="key" wrap />
      </KeySection>
      <KeySection title=".env">
        <Code code={`VIDGEN_KEY=${apiKey.key}`} language="bash" label=".env line" wrap />
      </KeySection>
      <KeySection title="Try it">
        <Code code={exampleCommand(apiKey)} language="bash" label="command" wrap />
      </KeySection>
      <Group justify="flex-end">
        <Button onClick={onDone}>I’ve saved it</Button>
      </Group>
    </Stack>
  );
}

function KeySection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack gap={6}>
      <Text fz="sm" fw={500}>
        {title}
      </Text>
      {children}
    </Stack>
  );
}

/** Returns a request that costs nothing and that the permissions of the key allow. */
function exampleCommand({ key, permissions }: CreatedApiKey): string {
  const bearer = `-H 'Authorization: Bearer ${key}'`;
  if (permissions.includes('tasks:read')) return `curl ${serviceUrl}/v1/credits ${bearer}`;
  const request = { model: 'vidgen-2-5', input: { prompt: 'Waves at dawn' } };
  const body = `-H 'Content-Type: application/json' -d '${JSON.stringify(request)}'`;
  return `curl ${serviceUrl}/v1/videos/generations/estimate ${bearer} ${body}`;
}
