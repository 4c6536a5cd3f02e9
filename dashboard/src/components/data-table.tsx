/**
 * A table for the API's lists: sticky header, sorting, keyboard navigation and paging. Sort order,
 * loaded pages and the expanded row are in the URL.
 */
import 'mantine-datatable/styles.layer.css';
import {
  ActionIcon,
  Box,
  Button,
  Group,
  Stack,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import {
  ArrowUpIcon,
  CaretDownIcon,
  CaretSortIcon,
  CaretUpIcon,
  ChevronDownIcon,
  ChevronRightIcon,
} from '@radix-ui/react-icons';
import { type DataTableColumn, DataTable as Table } from 'mantine-datatable';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { type CursorList, useStableList } from '../api/cursor-list.ts';
import classes from './data-table.module.css';
import { ErrorNotice } from './error-notice.tsx';
import { Credits, formatNumber } from './format.tsx';
import cards from './phone-cards.module.css';
import { TableSkeleton } from './skeletons.tsx';
import { parseSort, type SortValue, sortRows } from './sort-rows.ts';
import { type TableUrlState, useTableUrlState } from './table-url-state.ts';
import { SmallNote } from './texts.tsx';
import { Timestamp, type TimestampValue } from './timestamp.tsx';

export type Column<Row> = Pick<
  DataTableColumn<Row>,
  'width' | 'textAlign' | 'noWrap' | 'cellsStyle' | 'titleStyle' | 'visibleMediaQuery'
> & {
  readonly accessor: string;
  readonly title: string;
  render(row: Row): ReactNode;
  /** Makes the column sortable: the loaded rows, in this browser. */
  sortBy?(row: Row): SortValue;
  /** Makes the column sortable: by the service, to which the page passes the sort in the URL. */
  readonly isSortedByService?: true;
  /**
   * On a phone a row is a card: the title comes first, and other cells follow with their labels.
   * Without a title, the first column is it. A corner is at the top right.
   */
  readonly phone?: 'title' | 'corner' | 'hidden';
};

export type DataTableProps<Row> = {
  /** The accessible name of the table, such as "Tasks". */
  readonly label: string;
  readonly list: CursorList<Row>;
  readonly columns: readonly Column<Row>[];
  rowId(row: Row): string;
  /** Called on click and on Enter. */
  onOpen?(row: Row): void;
  /** Shown instead of the table when the list is empty. */
  readonly empty: ReactNode;
  /** Shown at the left above the table. The `/` key focuses the first input. */
  readonly filters?: ReactNode;
  /** Holds new rows back behind a button with this label, such as "new task" and "new tasks". */
  readonly newLabel?: readonly [one: string, many: string];
  /** Shown at the right above the table, such as an `ExportMenu`. */
  readonly actions?: ReactNode;
  /** The content of a row's expansion. */
  expanded?(row: Row): ReactNode;
};

const fillStyle = { width: '100%', minWidth: 240, maxWidth: 0 } as const;

/** Of a column that takes the remaining width, so that no other column is truncated. */
export const fillWidth = { titleStyle: fillStyle, cellsStyle: () => fillStyle };

/** The parts of a column of times. */
export const timeCells = <Row,>(
  at: (row: Row) => TimestampValue | null,
  { fallback = '–' }: { readonly fallback?: string } = {},
) => ({ noWrap: true, render: (row: Row) => <Timestamp at={at(row)} fallback={fallback} /> });

/** The parts of a column of credits. Zeros are faint, so that the others stand out. */
export const creditCells = <Row,>(amount: (row: Row) => number) => ({
  textAlign: 'right' as const,
  noWrap: true,
  render: (row: Row) => (
    <Credits amount={amount(row)} {...(amount(row) === 0 ? { c: 'dimmed' } : {})} />
  ),
});

export function DataTable<Row>(props: DataTableProps<Row>): ReactNode {
  const { label, list, columns, empty, filters, actions, newLabel } = props;
  const urlState = useTableUrlState();
  const filtersElement = useRef<HTMLDivElement>(null);
  useHotkeys([['/', () => filtersElement.current?.querySelector('input')?.focus()]]);
  useLoadPages(list, urlState.pages);
  const stable = useStableList(list, props.rowId);
  const hasMoreRows = list.hasMore && list.items.length > 0;
  const { accessor: sortedColumn } = parseSort(urlState.sort);
  const isSortedHere = columns.some(({ accessor, sortBy }) => sortBy && accessor === sortedColumn);
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs" align="flex-start">
        <Group ref={filtersElement} gap="xs" align="flex-end" flex="1 1 12rem" miw={0}>
          {filters}
        </Group>
        {actions}
      </Group>
      <ErrorNotice error={list.error} title={`${label} couldn’t be loaded`} retry={list.refetch} />
      {list.isLoading && !list.error ? <TableSkeleton /> : null}
      {!list.isLoading && list.items.length === 0 && !list.error ? empty : null}
      {list.items.length > 0 ? (
        <TableRows
          {...props}
          list={newLabel ? stable.list : list}
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
          urlState={urlState}
        />
      ) : null}
      {list.items.length > 0 ? (
        <SmallNote ta="center">
          {formatNumber(list.items.length)} {hasMoreRows ? 'shown' : 'in total'}
          {hasMoreRows && isSortedHere ? ', sorted among themselves' : ''}
        </SmallNote>
      ) : null}
      {list.items.length > 0 && props.onOpen ? (
        <Text fz="xs" c="dimmed" ta="center" visibleFrom="sm">
          Use ↑ ↓ to move, Enter to open, / to search.
        </Text>
      ) : null}
      {hasMoreRows ? (
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

/** Loads as many pages as the URL says, one after the other. */
function useLoadPages<Row>(list: CursorList<Row>, pageCount = 1): void {
  const { pages, hasMore, isLoadingMore, loadMore, error } = list;
  const isMissing = pages > 0 && pages < pageCount && hasMore && !isLoadingMore && error === null;
  useEffect(() => {
    if (isMissing) loadMore();
  });
}

function TableRows<Row>(
  props: DataTableProps<Row> & {
    readonly urlState: TableUrlState;
    /** Overlaps the top edge of the table, so that rows do not move when it appears. */
    readonly newRowsButton: ReactNode;
  },
): ReactNode {
  const { label, list, columns, rowId, onOpen, expanded, urlState } = props;
  const title = columns.find(({ phone }) => phone === 'title') ?? columns[0];
  const isPhone = useMediaQuery(phoneQuery, false, { getInitialValueInEffect: false });
  const headerColumns = columns.map(({ phone, sortBy, isSortedByService, ...column }) => ({
    ...(isPhone ? withoutWidth(column) : column),
    customCellAttributes: () => ({
      'data-label': column.title,
      'data-phone': column.accessor === title?.accessor ? 'title' : phone,
    }),
    ...(sortBy === undefined && !isSortedByService
      ? {}
      : {
          title: (
            <SortButton
              accessor={column.accessor}
              title={column.title}
              sort={urlState.sort}
              onSort={(sort) => urlState.change({ sort })}
            />
          ),
        }),
  }));
  return (
    <Box pos="relative" onKeyDown={moveRowFocus}>
      <div className={classes.newRows} aria-live="polite">
        {props.newRowsButton}
      </div>
      <Table<Row>
        aria-label={label}
        className={cards.cards ?? ''}
        withTableBorder
        borderRadius="md"
        highlightOnHover={onOpen !== undefined || expanded !== undefined}
        verticalSpacing="xs"
        fz="sm"
        {...(isPhone ? {} : { maxHeight: 'calc(100dvh - 15rem)' })}
        minHeight={0}
        height="auto"
        records={[...sortRows(list.items, columns, urlState.sort)]}
        columns={
          expanded
            ? [expanderColumn({ label, rowId, open: urlState.open }), ...headerColumns]
            : headerColumns
        }
        idAccessor={rowId}
        {...(onOpen ? { onRowClick: ({ record }) => onOpen(record) } : {})}
        customRowAttributes={(row) => ({
          tabIndex: onOpen || expanded ? 0 : undefined,
          'data-row': '',
          'data-card': '',
          onKeyDown: (event: KeyboardEvent) => {
            if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
            if (onOpen) onOpen(row);
            else (event.currentTarget as HTMLElement).click();
          },
        })}
        rowClassName={classes.row ?? ''}
        {...(expanded
          ? {
              rowExpansion: {
                content: ({ record }) => expanded(record),
                expanded: {
                  recordIds: urlState.open === undefined ? [] : [urlState.open],
                  onRecordIdsChange: (ids: unknown[]) =>
                    urlState.change({ open: ids.at(-1)?.toString() }),
                },
              },
            }
          : {})}
      />
    </Box>
  );
}

const directions = {
  none: { icon: CaretSortIcon, next: 'ascending' },
  ascending: { icon: CaretUpIcon, next: 'descending' },
  descending: { icon: CaretDownIcon, next: 'none' },
} as const;

/** A button inside the `th`, so that the header keeps its role for screen readers. */
function SortButton(props: {
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

/** As in `phone-cards.module.css`. */
const phoneQuery = '(max-width: 48em)';

/** A card has no columns. */
const withoutWidth = <Row,>({ accessor, title, render }: Column<Row>) => ({
  accessor,
  title,
  render,
});

/** A visual toggle without a handler: a click anywhere in the row expands it. */
function expanderColumn<Row>(options: {
  readonly label: string;
  rowId(row: Row): string;
  readonly open: string | undefined;
}): DataTableColumn<Row> {
  return {
    accessor: 'unfold',
    title: <VisuallyHidden>Details</VisuallyHidden>,
    width: 44,
    render: (row) => {
      const isOpen = options.rowId(row) === options.open;
      const Icon = isOpen ? ChevronDownIcon : ChevronRightIcon;
      return (
        <ActionIcon variant="subtle" color="gray" aria-label="Details" aria-expanded={isOpen}>
          <Icon aria-hidden />
        </ActionIcon>
      );
    },
  };
}

/** Moves the focus between rows with the arrow keys. */
function moveRowFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = event.target instanceof HTMLElement ? event.target.closest('[data-row]') : null;
  if (step === undefined || row === null || row !== event.target) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')];
  const next = rows[rows.indexOf(row as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
