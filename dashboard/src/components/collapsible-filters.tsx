/** Filters that small screens hide behind a button, and rare ones that large screens hide. */
import { Button, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import classes from './collapsible-filters.module.css';

export function CollapsibleFilters(props: {
  /** How many filters are set. */
  readonly count: number;
  readonly children: ReactNode;
}): ReactNode {
  const { count, children } = props;
  const label = count === 0 ? 'Filters' : `Filters (${count})`;
  return (
    <Collapsible hiddenOn="small" label={label} openLabel={label}>
      {children}
    </Collapsible>
  );
}

/** Small screens show these with the others. */
export function MoreFilters({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <Collapsible hiddenOn="large" label="More filters" openLabel="Fewer filters">
      {children}
    </Collapsible>
  );
}

function Collapsible(props: {
  /** The screens that have the button. */
  readonly hiddenOn: 'small' | 'large';
  readonly label: string;
  readonly openLabel: string;
  readonly children: ReactNode;
}): ReactNode {
  const { hiddenOn, label, openLabel, children } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        {...(hiddenOn === 'small' ? { hiddenFrom: 'sm' } : { visibleFrom: 'sm' })}
        size="xs"
        variant="default"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? openLabel : label}
      </Button>
      <Group gap="xs" className={classes[hiddenOn] ?? ''} data-open={isOpen || undefined}>
        {children}
      </Group>
    </>
  );
}
