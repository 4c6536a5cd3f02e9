/**
 * A small table without paging or sorting. It scrolls sideways, also by keyboard; on a phone its
 * rows are cards.
 */
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import cards from './phone-cards.module.css';

export function PlainTable(props: {
  /** The accessible name of the table. */
  readonly label: string;
  readonly minWidth: number;
  readonly columns: readonly string[];
  /** The columns from this one on are figures, at the right. */
  readonly figuresFrom?: number;
  readonly rows: readonly { readonly id: string; readonly cells: readonly ReactNode[] }[];
}) {
  const { label, minWidth, columns, figuresFrom = columns.length, rows } = props;
  const alignOf = (at: number) => (at < figuresFrom ? 'left' : 'right');
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={label}
      className={`${cards.scroll} ${cards.flush}`}
    >
      <Table fz="sm" className={cards.cards ?? ''}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((title, at) => (
              <Table.Th key={title} ta={alignOf(at)}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ id, cells }) => (
            <Table.Tr key={id} data-card>
              {cells.map((cell, at) => (
                <Table.Td
                  key={columns[at]}
                  data-label={columns[at]}
                  data-phone={at === 0 ? 'title' : undefined}
                  ta={alignOf(at)}
                >
                  {cell}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
