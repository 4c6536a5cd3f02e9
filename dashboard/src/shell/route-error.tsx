/** Shown when a page fails to load or render. */
import { Button, Center, Group, Stack, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';

export function RouteError({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <Center component="main" mih="60vh" p="lg">
      <Stack gap="md" w="min(34rem, 100%)">
        <Title order={1}>Something went wrong</Title>
        <ErrorNotice
          error={error instanceof Error ? error : new Error(String(error))}
          title="Details"
        />
        <Group>
          <Button onClick={reset}>Try again</Button>
          <Button variant="default" onClick={() => location.reload()}>
            Reload
          </Button>
        </Group>
      </Stack>
    </Center>
  );
}
