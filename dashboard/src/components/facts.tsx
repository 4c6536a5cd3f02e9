/** Names and values in two columns, as a list that says which belongs to which. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export type Fact = readonly [name: string, value: ReactNode];

export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl className={classes.facts ?? ''}>
      {facts.map(([name, value]) => (
        <div key={name} className={classes.fact ?? ''}>
          <Text component="dt" fz="sm" c="dimmed">
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
