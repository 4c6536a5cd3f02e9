/** The filters that are set, each with a button that removes it. */
import { Button, CloseButton, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './filter-chips.module.css';

export type FilterChip = {
  /** Such as "Status". */
  readonly name: string;
  readonly value: ReactNode;
  remove(): void;
};

/** By the name of the filter; without a value it is not set. */
type ChipValues = Readonly<Record<string, readonly [title: string, value: ReactNode]>>;

export const chipsOf = (
  values: ChipValues,
  set: (part: Record<string, undefined>) => void,
): FilterChip[] =>
  Object.entries(values)
    .filter(([, [, value]]) => value !== undefined)
    .map(([name, [title, value]]) => ({
      name: title,
      value,
      remove: () => set({ [name]: undefined }),
    }));

export function FilterChips(props: {
  readonly chips: readonly FilterChip[];
  clear(): void;
}): ReactNode {
  const { chips, clear } = props;
  if (chips.length === 0) return null;
  return (
    <Group gap={6} w="100%" component="ul" p={0} m={0} aria-label="Filters">
      {chips.map(({ name, value, remove }) => (
        <li key={name} className={classes.chip ?? ''}>
          <Text span fz="xs" c="dimmed">
            {name}
          </Text>
          <Text span fz="xs" fw={500} truncate maw={220}>
            {value}
          </Text>
          <CloseButton size="xs" aria-label={`Remove the filter ${name}`} onClick={remove} />
        </li>
      ))}
      <li className={classes.clear ?? ''}>
        <Button size="compact-xs" variant="subtle" onClick={clear}>
          Clear filters
        </Button>
      </li>
    </Group>
  );
}
