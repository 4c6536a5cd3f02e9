/** Shown for URLs that lead to no page. */
import { Box, Center, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { LinkButton } from '../components/links.tsx';
import { Brand, SiteLinks } from './site-header.tsx';

/** For use outside the shell, which has its own `main`. */
export function NotFoundPage(): ReactNode {
  return (
    <>
      <Group
        component="header"
        h="3.25rem"
        px="1.25rem"
        wrap="nowrap"
        style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}
      >
        <Brand />
        <Box visibleFrom="sm">
          <SiteLinks />
        </Box>
      </Group>
      <main>
        <NotFound />
      </main>
    </>
  );
}

export function NotFound(): ReactNode {
  return (
    <Center mih="60vh" p="lg">
      <title>Page not found · vidgen</title>
      <Stack align="center" gap="sm" maw="28rem">
        <Title order={1}>Page not found</Title>
        <Text c="dimmed" ta="center">
          Check the URL, or ask for access to the account.
        </Text>
        <LinkButton to="/">Go home</LinkButton>
      </Stack>
    </Center>
  );
}
