/** Shown for URLs that lead to no page. */
import { Center, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { LinkButton } from '../components/links.tsx';

/** For use outside the shell, which has its own `main`. */
export function NotFoundPage(): ReactNode {
  return (
    <main>
      <NotFound />
    </main>
  );
}

export function NotFound(): ReactNode {
  return (
    <Center mih="60vh" p="lg">
      <title>Page not found · vidgen</title>
      <Stack align="center" gap="sm" maw="28rem">
        <Title order={1}>Page not found</Title>
        <Text c="dimmed" ta="center">
          Check the URL, or ask for access if this belongs to another account.
        </Text>
        <LinkButton to="/">Go home</LinkButton>
      </Stack>
    </Center>
  );
}
