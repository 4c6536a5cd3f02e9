/** Figures side by side, each below its name. */
import { Card, SimpleGrid, type StyleProp, Text } from '@mantine/core';
import type { ReactNode } from 'react';

type Stat = {
  readonly title: string;
  readonly value: ReactNode;
  /** A tooltip. */
  readonly hint?: string;
  /** Below the value. */
  readonly description?: ReactNode;
};

export function StatCards(props: {
  readonly stats: readonly Stat[];
  readonly cols: StyleProp<number>;
}): ReactNode {
  return (
    <SimpleGrid cols={props.cols} spacing="sm">
      {props.stats.map(({ title, value, hint, description }) => (
        <Card key={title} withBorder padding="sm" {...(hint ? { title: hint } : {})}>
          <Text fz="xs" c="dimmed">
            {title}
          </Text>
          <Text fz={22} fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
            {value}
          </Text>
          {description === undefined ? null : (
            <Text fz="xs" c="dimmed">
              {description}
            </Text>
          )}
        </Card>
      ))}
    </SimpleGrid>
  );
}
