/** A small table without paging or sorting. It scrolls sideways, also by keyboard. */
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

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
    >
      <Table fz="sm">
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
            <Table.Tr key={id}>
              {cells.map((cell, index) => (
                <Table.Td
                  key={columns[index]?.title}
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
