/** Tells administrators that the built-in preview makes all live tasks, and how to change it. */
import { Alert, Group, Text } from '@mantine/core';
import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSession } from '../api/session.ts';
import { LinkButton } from '../components/links.tsx';
import { summaryQuery } from './summary-query.ts';

export function NoProviderBanner(): ReactNode {
  const { person } = useSession();
  const { data: summary } = useQuery({ ...summaryQuery, enabled: person.administrator });
  if (!person.administrator || !summary?.no_provider) return null;
  return (
    <Alert
      color="yellow"
      variant="light"
      mb="lg"
      py="xs"
      icon={<ExclamationTriangleIcon aria-hidden />}
      styles={{ icon: { marginTop: 4 } }}
    >
      <Group justify="space-between" gap="xs">
        <Text fz="sm">
          <b>No provider connected.</b> Live tasks return previews and use live credits.
        </Text>
        <LinkButton to="/operator/providers" search={{ connect: true }} size="xs" variant="default">
          Connect provider
        </LinkButton>
      </Group>
    </Alert>
  );
}
