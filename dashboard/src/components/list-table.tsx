/**
 * A list of the API as a table with filters and an export. Filters and sort order are in the URL,
 * and the service applies them.
 */
import type { ReactNode } from 'react';
import type { Query } from '../api/client.ts';
import { useCursorList } from '../api/cursor-list.ts';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { NoMatches } from './empty-state.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterBar, type ListFilters, useFilters } from './filters.tsx';
import { queryOf } from './search-params.ts';
import { parseSort } from './sort-rows.ts';
import { useTableUrlState } from './table-url-state.ts';

export function ListTable<Row extends { readonly id: string }>(
  props: Omit<DataTableProps<Row>, 'list' | 'rowId' | 'filters' | 'actions'> & {
    readonly path: string;
    /** In addition to the filters. */
    readonly query?: Query;
    readonly refetchMs?: number;
    readonly filters?: ListFilters;
    /** What the rows are, such as "accounts". */
    readonly things: string;
    /** The list has an export. */
    readonly exports?: true;
  },
): ReactNode {
  const { path, query = {}, refetchMs, filters = {}, things, exports, ...table } = props;
  const { values, set, clear } = useFilters(filters);
  const { sort } = useTableUrlState();
  const { accessor } = parseSort(sort);
  const isSortedByService = table.columns.some(
    (column) => column.isSortedByService && column.accessor === accessor,
  );
  const all = { ...query, ...queryOf(values), ...(isSortedByService ? { sort } : {}) };
  const list = useCursorList<Row>({ path, query: all, ...(refetchMs && { refetchMs }) });
  const isFiltered = Object.keys(values).length > 0;
  return (
    <DataTable<Row>
      {...table}
      list={list}
      rowId={({ id }) => id}
      filters={<FilterBar filters={filters} values={values} set={set} clear={clear} />}
      actions={exports ? <ExportMenu path={path} query={all} /> : null}
      empty={isFiltered ? <NoMatches things={things} clear={clear} /> : table.empty}
    />
  );
}
