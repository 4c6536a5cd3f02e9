/** Names and values in two columns, as a `dl`. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './description-list.module.css';

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
