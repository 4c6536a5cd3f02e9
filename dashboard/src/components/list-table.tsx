/**
 * A list of the API as a table with filters, paging and an export. Filters, sort order, loaded
 * pages and the expanded row are in the URL, and the service filters and sorts.
 */
import { Button, Group, Menu, Select, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { ArrowUpIcon, DownloadIcon } from '@radix-ui/react-icons';
import { listCountMax } from '@vidgen/contract/list-count.ts';
import { type ReactNode, useEffect, useRef } from 'react';
import { buildUrl, type Query } from '../api/client.ts';
import {
  type CursorList,
  type RefetchMs,
  useCursorList,
  useStableList,
} from '../api/cursor-list.ts';
import { type Column, DataTable, focusFirstRow } from './data-table.tsx';
import { FilterBar, type ListFilters, useFilters } from './filters.tsx';
import { queryOf } from './search-params.ts';
import { ErrorNotice, NoMatches, TableSkeleton } from './states.tsx';
import { type TableUrlState, useTableUrlState } from './table-url-state.ts';
import { formatNumber, SmallNote } from './text.tsx';

export type ListTableProps<Row> = {
  /** The accessible name of the table, such as "Tasks". */
  readonly label: string;
  /** What the rows are, such as "accounts". */
  readonly things: string;
  readonly path: string;
  /** What is asked for besides the filters. */
  readonly query?: Query;
  readonly refetchMs?: RefetchMs<Row>;
  readonly filters?: ListFilters;
  /** A function where they depend on the rows. */
  readonly columns: readonly Column<Row>[] | ((rows: readonly Row[]) => readonly Column<Row>[]);
  /** Called on click and on Enter. */
  onOpen?(row: Row): void;
  /** The content of a row's expansion. */
  expanded?(row: Row): ReactNode;
  /** Holds new rows back behind a button with this label, such as "new task" and "new tasks". */
  readonly newLabel?: readonly [one: string, many: string];
  /** What holds for all rows, said once below them. */
  note?(rows: readonly Row[]): string;
  /** The list has an export. */
  readonly exports?: true;
  /** Shown instead of the table when there is no row. */
  readonly empty: ReactNode;
};

export function ListTable<Row extends { readonly id: string }>(props: ListTableProps<Row>) {
  const { label, things, path, filters = {}, columns, onOpen, expanded, newLabel } = props;
  const { values, set, clear } = useFilters(filters);
  const urlState = useTableUrlState();
  const filtersElement = useRef<HTMLDivElement>(null);
  useHotkeys([
    ['/', () => filtersElement.current?.querySelector('input')?.focus()],
    ['ArrowDown', focusFirstRow],
  ]);
  const columnsOf = typeof columns === 'function' ? columns : () => columns;
  const isSorted = columnsOf([]).some(
    ({ isSortable, accessor }) => isSortable && accessor === urlState.sort?.replace(/^-/, ''),
  );
  const sort = isSorted ? { sort: urlState.sort } : {};
  const query = { ...props.query, ...queryOf(values), ...sort };
  const list = useCursorList<Row>({
    path,
    query,
    ...(props.refetchMs && { refetchMs: props.refetchMs }),
  });
  useLoadPages(list, urlState.pages);
  const stable = useStableList(list);
  const isFiltered = Object.keys(values).length > 0;
  const empty = isFiltered ? (
    <NoMatches things={things} clear={clear} isPartial={list.hasMore} />
  ) : (
    props.empty
  );
  const isEmpty = list.items.length === 0;
  return (
    <Stack gap="sm">
      {props.exports || Object.keys(filters).length > 0 ? (
        <Group justify="space-between" gap="xs" align="flex-start">
          <Group ref={filtersElement} gap="xs" align="flex-end" flex="1 1 12rem" miw={0}>
            <FilterBar filters={filters} values={values} set={set} clear={clear} />
            <SortSelect columns={columnsOf([])} urlState={urlState} />
          </Group>
          {props.exports ? <ExportMenu path={path} query={query} /> : null}
        </Group>
      ) : null}
      <ErrorNotice error={list.error} title={`${label} couldn’t be loaded`} retry={list.refetch} />
      {list.isLoading && !list.error ? <TableSkeleton /> : null}
      {isEmpty && !list.isLoading && !list.error ? empty : null}
      {isEmpty ? null : (
        <>
          <DataTable
            label={label}
            rows={newLabel ? stable.items : list.items}
            columns={columnsOf(list.items)}
            onOpen={onOpen}
            expanded={expanded}
            urlState={urlState}
            newRowsButton={
              newLabel && stable.newCount > 0 ? (
                <Button
                  size="compact-sm"
                  radius="xl"
                  leftSection={<ArrowUpIcon aria-hidden />}
                  onClick={stable.showNew}
                >
                  {stable.newCount} {newLabel[stable.newCount === 1 ? 0 : 1]}
                </Button>
              ) : null
            }
          />
          <SmallNote ta="center">
            {[shownText(list), props.note?.(list.items) ?? '']
              .filter((part) => part !== '')
              .join(' · ')}
          </SmallNote>
        </>
      )}
      {onOpen && !isEmpty ? (
        <Text fz="xs" c="dimmed" ta="center" visibleFrom="sm">
          Use ↑ ↓ to move, Enter to open, / to search.
        </Text>
      ) : null}
      {list.hasMore ? (
        <Button
          variant="default"
          mx="auto"
          loading={list.isLoadingMore}
          onClick={() => urlState.change({ pages: list.pages + 1 })}
        >
          Load more
        </Button>
      ) : null}
    </Stack>
  );
}

function shownText({ items, hasMore, total }: CursorList<unknown>): string {
  const shown = formatNumber(items.length);
  if (!hasMore) return `${shown} in total`;
  if (total === undefined) return `${shown} shown`;
  return `${shown} of ${formatNumber(total)}${total === listCountMax ? '+' : ''} shown`;
}

/** Loads as many pages as the URL says, one after the other. */
function useLoadPages<Row>(list: CursorList<Row>, pageCount = 1): void {
  const { pages, hasMore, isLoadingMore, loadMore, error } = list;
  const isMissing = pages > 0 && pages < pageCount && hasMore && !isLoadingMore && error === null;
  useEffect(() => {
    if (isMissing) loadMore();
  });
}

/** Downloads the filtered list as CSV or JSON. */
export function ExportMenu(props: { readonly path: string; readonly query: Query }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<DownloadIcon aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['csv', 'json'] as const).map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={buildUrl(props.path, { ...props.query, format })}
            download
          >
            Export as {format.toUpperCase()}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function SortSelect<Row>(props: {
  readonly columns: readonly Column<Row>[];
  readonly urlState: TableUrlState;
}) {
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
