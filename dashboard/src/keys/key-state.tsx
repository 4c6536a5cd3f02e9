/** The state of an API key: active, expired or revoked. */
import { Badge, Group, Text } from '@mantine/core';
import type { ApiKey } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { useNowMs } from '../components/clock.ts';
import { Timestamp, toDate } from '../components/timestamp.tsx';

export function KeyState({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  const nowMs = useNowMs();
  const { revoked_at: revokedAt, expires_at: expiresAt } = apiKey;
  if (revokedAt !== null) return <Badge color="gray">Revoked</Badge>;
  if (expiresAt === null) return <Badge color="green">Active</Badge>;
  if (toDate(expiresAt).getTime() <= nowMs) return <Badge color="gray">Expired</Badge>;
  return (
    <Group gap={6} wrap="nowrap">
      <Badge color="green">Active</Badge>
      <Text span fz="xs" c="dimmed">
        expires <Timestamp at={expiresAt} />
      </Text>
    </Group>
  );
}
