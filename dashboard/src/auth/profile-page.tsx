/** The person's profile: name, accounts, ways to sign in, sessions. */

import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSession } from '../api/session.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextLink } from '../components/links.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { CardSkeleton } from '../components/skeletons.tsx';
import { roles } from '../members/roles.ts';
import { LinkedSignIn } from './linked-sign-in.tsx';
import { NameForm } from './name-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { securityQuery } from './sign-in-methods.ts';

export function ProfilePage(): ReactNode {
  const { person, accounts } = useSession();
  return (
    <>
      <PageHeader title="Profile" description="Your name, how you sign in, and active sessions." />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Stack gap="lg">
          <SectionCard title="Account details">
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
          </SectionCard>
          <Sessions />
        </Stack>
        <Stack gap="lg">
          <SignIn />
        </Stack>
      </SimpleGrid>
    </>
  );
}

function SignIn(): ReactNode {
  const { data: security, error, refetch } = useQuery(securityQuery);
  if (error) {
    return <ErrorNotice error={error} title="Couldn’t load your sign-in" retry={refetch} />;
  }
  if (!security) return <CardSkeleton h={320} />;
  return (
    <>
      {security.has_password ? <PasswordForm /> : null}
      <SecondFactor security={security} />
      <LinkedSignIn security={security} />
    </>
  );
}
