/** The layout of pages without a session: one centered card. */
import { Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Note } from '../components/text.tsx';
import { Logo, SiteLinks } from '../shell/site-header.tsx';

export function AuthLayout(props: {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** Shown below the card. */
  readonly footer?: ReactNode;
}) {
  const { title, description, children, footer } = props;
  return (
    <Center
      component="main"
      mih="100dvh"
      p="md"
      bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-8))"
    >
      <title>{`${title} · vidgen`}</title>
      <Stack w="min(25rem, 100%)" gap="lg">
        <Group gap="xs" justify="center">
          <Logo size={28} />
          <Text fw={650} fz="lg" lts="-0.01em">
            vidgen
          </Text>
        </Group>
        <Paper withBorder p={{ base: 'lg', xs: 'xl' }} radius="lg" bg="var(--mantine-color-body)">
          <Stack gap="lg">
            <div>
              <Title order={1} fz="1.25rem">
                {title}
              </Title>
              {description === undefined ? null : <Note mt={6}>{description}</Note>}
            </div>
            {children}
          </Stack>
        </Paper>
        {footer === undefined ? null : (
          <Text c="dimmed" fz="xs" ta="center">
            {footer}
          </Text>
        )}
        <Group justify="center">
          <SiteLinks />
        </Group>
      </Stack>
    </Center>
  );
}
