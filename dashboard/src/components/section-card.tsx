/** A bordered card with a heading and, at the right of it, badges or links. */
import { Card, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function SectionCard({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" mb="xs">
        <Text component="h2" fz="md" fw={600}>
          {title}
        </Text>
        {actions}
      </Group>
      {children}
    </Card>
  );
}
