/** A bordered card with a heading, a badge beside it, and links or buttons at the right. */
import { Card, Group, SimpleGrid, type StyleProp, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './description-list.module.css';

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

/** Names and values in two columns, as a `dl`. */
export type DescriptionItem = readonly [name: string, value: ReactNode];

export function DescriptionList({
  items,
}: {
  readonly items: readonly DescriptionItem[];
}): ReactNode {
  return (
    <dl className={classes.list ?? ''}>
      {items.map(([name, value]) => (
        <div key={name} className={classes.item ?? ''}>
          <Text component="dt" fz="sm" c="dimmed" className={classes.name ?? ''}>
            {name}
          </Text>
          <Text component="dd" fz="sm" m={0} className={classes.value ?? ''}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}

type Stat = {
  readonly title: string;
  readonly value: ReactNode;
  /** A tooltip. */
  readonly hint?: string;
  /** Below the value. */
  readonly description?: ReactNode;
};

/** Figures side by side, each below its name. */
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
