/** One task of a list, for small screens. */
import { Group, Stack, Text } from '@mantine/core';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ReactNode } from 'react';
import { useKnownAccount } from '../admin/account-link.tsx';
import { Credits } from '../components/format.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { Timestamp } from '../components/timestamp.tsx';

export function TaskCard({
  task,
  showAccount,
}: {
  readonly task: AdminTask;
  readonly showAccount: boolean;
}): ReactNode {
  const { status, prompt, model, resolution, credits, created_at } = task;
  const account = useKnownAccount(showAccount ? task.account_id : undefined);
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <StatusBadge status={status} />
        <Text fz="xs" c="dimmed">
          <Timestamp at={created_at} />
        </Text>
      </Group>
      <Text fz="sm" fw={500} lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
        {prompt}
      </Text>
      <Group justify="space-between" gap="xs">
        <Text fz="xs" c="dimmed">
          {account ? `${account.name}, ` : ''}
          {model}, {resolution}
        </Text>
        <Text fz="xs" c="dimmed">
          <Credits amount={credits} unit />
        </Text>
      </Group>
    </Stack>
  );
}
