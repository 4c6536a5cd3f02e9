/** A bordered card with a heading, a badge beside it, and links or buttons at the right. */
import { Card, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function SectionCard({
  title,
  badge,
  actions,
  children,
}: {
  readonly title: string;
  /** Beside the title, such as a status. */
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" mb="xs">
        <Group gap="xs">
          <Text component="h2" fz="md" fw={600}>
            {title}
          </Text>
          {badge}
        </Group>
        {actions}
      </Group>
      {children}
    </Card>
  );
}
