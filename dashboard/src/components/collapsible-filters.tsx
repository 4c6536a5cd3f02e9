/** Filters that small screens hide behind a button, and rare ones that all screens hide. */
import { Button, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import classes from './collapsible-filters.module.css';

export function CollapsibleFilters(props: {
  /** How many filters are set. */
  readonly count: number;
  readonly children: ReactNode;
}): ReactNode {
  const { count, children } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        hiddenFrom="sm"
        size="xs"
        variant="default"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
      <Group gap="xs" className={classes.filters ?? ''} data-open={isOpen || undefined}>
        {children}
      </Group>
    </>
  );
}

/** Small screens show these with the others. */
export function MoreFilters({ children }: { readonly children: ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        visibleFrom="sm"
        size="xs"
        variant="default"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Fewer filters' : 'More filters'}
      </Button>
      <Group gap="xs" className={classes.more ?? ''} data-open={isOpen || undefined}>
        {children}
      </Group>
    </>
  );
}
