/** The rows of a table as cards, for small screens. */
import { Paper, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './card-list.module.css';

export function CardList<Row>(props: {
  readonly label: string;
  readonly rows: readonly Row[];
  rowId(row: Row): string;
  card(row: Row): ReactNode;
  onOpen?(row: Row): void;
}): ReactNode {
  const { label, rows, rowId, card, onOpen } = props;
  return (
    <Stack gap="xs" component="ul" p={0} m={0} aria-label={label} className={classes.list ?? ''}>
      {rows.map((row) => (
        <li key={rowId(row)}>
          <Paper
            withBorder
            p="sm"
            radius="md"
            className={classes.card ?? ''}
            data-row=""
            {...(onOpen
              ? {
                  tabIndex: 0,
                  role: 'button',
                  onClick: () => onOpen(row),
                  onKeyDown: (event) => {
                    if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row);
                  },
                }
              : {})}
          >
            {card(row)}
          </Paper>
        </li>
      ))}
    </Stack>
  );
}
