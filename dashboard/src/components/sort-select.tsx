/** The order of a list on a phone, where its rows are cards without column heads. */
import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from './data-table.tsx';
import type { TableUrlState } from './table-url-state.ts';

export function SortSelect<Row>(props: {
  readonly columns: readonly Column<Row>[];
  readonly urlState: TableUrlState;
}): ReactNode {
  const { columns, urlState } = props;
  const data = columns
    .filter(({ isSortable }) => isSortable)
    .flatMap(({ accessor, title }) => [
      { value: accessor, label: `${title} ↑` },
      { value: `-${accessor}`, label: `${title} ↓` },
    ]);
  if (data.length === 0) return null;
  return (
    <Select
      hiddenFrom="sm"
      size="xs"
      w={150}
      aria-label="Sort by"
      placeholder="Sort by"
      clearable
      data={data}
      value={urlState.sort ?? null}
      onChange={(sort) => urlState.change({ sort: sort ?? undefined })}
    />
  );
}
