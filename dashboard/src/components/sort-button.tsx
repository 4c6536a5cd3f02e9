/** The button in a sortable column header: ascending, descending, then the order of the service. */
import { UnstyledButton } from '@mantine/core';
import { CaretDownIcon, CaretSortIcon, CaretUpIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';
import { parseSort } from './sort-rows.ts';

const directions = {
  none: { icon: CaretSortIcon, next: 'ascending' },
  ascending: { icon: CaretUpIcon, next: 'descending' },
  descending: { icon: CaretDownIcon, next: 'none' },
} as const;

/** A button inside the `th`, so that the header keeps its role for screen readers. */
export function SortButton(props: {
  readonly accessor: string;
  readonly title: string;
  readonly sort: string | undefined;
  onSort(sort: string | undefined): void;
}): ReactNode {
  const { accessor, title, sort, onSort } = props;
  const chosen = parseSort(sort);
  const isChosen = chosen.accessor === accessor;
  const state = isChosen ? (chosen.isDescending ? 'descending' : 'ascending') : 'none';
  const { icon: Icon, next } = directions[state];
  const sorts = { none: undefined, ascending: accessor, descending: `-${accessor}` };
  return (
    <UnstyledButton
      ref={(button) => button?.closest('th')?.setAttribute('aria-sort', state)}
      className={classes.sortButton ?? ''}
      data-sorted={isChosen || undefined}
      onClick={() => onSort(sorts[next])}
    >
      {title}
      <Icon aria-hidden />
    </UnstyledButton>
  );
}
