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
  readonly columns: readonly PlainTableColumn[];
  readonly rows: readonly { readonly id: string; readonly cells: readonly ReactNode[] }[];
}): ReactNode {
  const { label, minWidth, columns, rows } = props;
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
            {columns.map(({ title, isNumeric }) => (
              <Table.Th key={title} ta={isNumeric ? 'right' : 'left'}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ id, cells }) => (
            <Table.Tr key={id} data-card>
              {cells.map((cell, index) => (
                <Table.Td
                  key={columns[index]?.title}
                  data-label={columns[index]?.title}
                  data-phone={index === 0 ? 'title' : undefined}
                  ta={columns[index]?.isNumeric ? 'right' : 'left'}
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

type PlainTableColumn = { readonly title: string; readonly isNumeric?: true };
