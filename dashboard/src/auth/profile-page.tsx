/** The person's profile: name, accounts, password, sessions. */

import { Badge, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../api/session.ts';
import { TextLink } from '../components/links.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { roles } from '../members/roles.ts';
import { NameForm } from './name-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { Sessions } from './sessions.tsx';

export function ProfilePage(): ReactNode {
  const { person, accounts } = useSession();
  return (
    <>
      <PageHeader title="Profile" description="Your name, password and active sessions." />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Paper withBorder p="lg">
          <Title order={2} mb="md">
            Account details
          </Title>
          <Stack gap="md">
            <NameForm />
            <Stack gap={6}>
              <Text fz="sm" fw={500}>
                Email
              </Text>
              <Group gap="xs">
                <Text fz="sm">{person.email}</Text>
                {person.administrator ? <Badge variant="light">Administrator</Badge> : null}
              </Group>
            </Stack>
            {accounts.length === 0 ? null : (
              <Stack gap={6}>
                <Text fz="sm" fw={500}>
                  Accounts
                </Text>
                {accounts.map(({ id, name, role }) => (
                  <Group key={id} gap="xs">
                    <TextLink to="/accounts/$account" params={{ account: id }} fz="sm">
                      {name}
                    </TextLink>
                    <Badge variant="light" color="gray">
                      {roles[role].name}
                    </Badge>
                  </Group>
                ))}
              </Stack>
            )}
          </Stack>
        </Paper>
        <PasswordForm />
      </SimpleGrid>
      <Sessions />
    </>
  );
}
