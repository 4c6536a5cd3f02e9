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
      <title>Nothing here · vidgen</title>
      <Stack align="center" gap="sm" maw="28rem">
        <Title order={1}>There is nothing at this address</Title>
        <Text c="dimmed" ta="center">
          It may have been mistyped, or belong to an account that you are not a member of.
        </Text>
        <LinkButton to="/">To the start</LinkButton>
      </Stack>
    </Center>
  );
}
