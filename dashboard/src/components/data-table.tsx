/** The rows of a list: sticky header, sorting by the service, expansion, keyboard navigation. */
import 'mantine-datatable/styles.layer.css';
import { ActionIcon, Box, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  CaretDownIcon,
  CaretSortIcon,
  CaretUpIcon,
  ChevronDownIcon,
  ChevronRightIcon,
} from '@radix-ui/react-icons';
import { type DataTableColumn, DataTable as Table } from 'mantine-datatable';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './data-table.module.css';
import cards from './phone-cards.module.css';
import type { TableUrlState } from './table-url-state.ts';
import { Credits, Timestamp, type TimestampValue } from './text.tsx';

type ColumnOptions<Row> = Pick<DataTableColumn<Row>, 'textAlign' | 'cellsStyle' | 'titleStyle'> & {
  /** The service can sort by it. */
  readonly isSortable?: true;
  /** Its text may take several lines. */
  readonly wraps?: true;
  /**
   * On a phone a row is a card: the title comes first, and other cells follow with their labels.
   * Without a title, the first column is it. A corner is at the top right.
   */
  readonly phone?: 'title' | 'corner' | 'hidden';
};
export type Column<Row> = ColumnOptions<Row> & {
  readonly accessor: string;
  readonly title: string;
  render(row: Row): ReactNode;
};

/** The title of a column, with its options where it has any. */
type Head<Row> = string | (ColumnOptions<Row> & { readonly title: string });

export const column = <Row,>(
  accessor: string,
  head: Head<Row>,
  render: (row: Row) => ReactNode,
): Column<Row> => ({ accessor, ...optionsOf(head), render });

const optionsOf = <Row,>(head: Head<Row>) => (typeof head === 'string' ? { title: head } : head);

const fillStyle = { width: '100%', minWidth: 180, maxWidth: 0 } as const;

/** Gives a column the remaining width, so that no other column is truncated. */
export const fillWidth = {
  titleStyle: fillStyle,
  cellsStyle: () => fillStyle,
  wraps: true,
} as const;

export const atRight = { textAlign: 'right' } as const;

export const timeColumn = <Row,>(
  accessor: string,
  head: Head<Row>,
  at: (row: Row) => TimestampValue | null,
  fallback = '–',
): Column<Row> => column(accessor, head, (row) => <Timestamp at={at(row)} fallback={fallback} />);

/** Zeros are faint, so that the others stand out. */
export const creditColumn = <Row,>(
  accessor: string,
  head: Head<Row>,
  amount: (row: Row) => number,
): Column<Row> =>
  column(accessor, { ...atRight, ...optionsOf(head) }, (row) => (
    <Credits amount={amount(row)} {...(amount(row) === 0 ? { c: 'dimmed' } : {})} />
  ));

export function DataTable<Row extends { readonly id: string }>(props: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly onOpen: ((row: Row) => void) | undefined;
  readonly expanded: ((row: Row) => ReactNode) | undefined;
  readonly urlState: TableUrlState;
  /** Overlaps the top edge of the table, so that rows do not move when it appears. */
  readonly newRowsButton: ReactNode;
}) {
  const { label, rows, columns, onOpen, expanded, urlState } = props;
  const title = columns.find(({ phone }) => phone === 'title') ?? columns[0];
  const isPhone = useMediaQuery(phoneQuery, false, { getInitialValueInEffect: false });
  const shown = useRowWindow(rows, { isOn: rows.length > allRenderedMax });
  const headerColumns = columns.map(({ phone, isSortable, wraps, ...column }) => ({
    ...(isPhone ? withoutWidth(column) : { ...column, noWrap: !wraps }),
    customCellAttributes: () => ({
      'data-label': column.title,
      'data-phone': column.accessor === title?.accessor ? 'title' : phone,
    }),
    title: isSortable ? <SortButton {...column} urlState={urlState} /> : column.title,
  }));
  return (
    <Box ref={shown.box} pos="relative" onKeyDown={moveRowFocus} __vars={shown.spacers}>
      <div className={classes.newRows} aria-live="polite">
        {props.newRowsButton}
      </div>
      <Table<Row>
        aria-label={label}
        aria-rowcount={rows.length + 1}
        className={`${cards.cards} ${classes.table}`}
        withTableBorder
        borderRadius="md"
        highlightOnHover={onOpen !== undefined || expanded !== undefined}
        verticalSpacing={6}
        fz="sm"
        {...(isPhone ? {} : { maxHeight: 'calc(100dvh - 15rem)' })}
        minHeight={0}
        height="auto"
        records={[...shown.rows]}
        columns={expanded ? [expanderColumn(urlState.open), ...headerColumns] : headerColumns}
        {...(onOpen ? { onRowClick: ({ record }) => onOpen(record) } : {})}
        customRowAttributes={(row, at) => ({
          'aria-rowindex': shown.first + at + 2,
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

/** More rows than that are rendered only where they can be seen. */
const allRenderedMax = 200;
const windowRows = 120;
/** How far the first rendered row is above the first visible one, at least. */
const marginRows = 30;

/** The rows of a long table around its scroll position, and the space of those left out. */
function useRowWindow<Row>(rows: readonly Row[], { isOn }: { readonly isOn: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const [height, setHeight] = useState(0);
  const first = isOn ? Math.min(at, rows.length - windowRows) : 0;
  const last = isOn ? first + windowRows : rows.length;
  useEffect(() => {
    if (!isOn) return;
    let average = 0;
    const follow = () => {
      const shown = [...(box.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
      const top = shown[0];
      const bottom = shown.at(-1);
      if (!top || !bottom) return;
      // Measured once: rows of the same list would move with another average.
      average ||= (bottom.offsetTop + bottom.offsetHeight - top.offsetTop) / shown.length;
      const above = -top.parentElement!.getBoundingClientRect().top;
      const from = Math.floor(above / average) - marginRows;
      setHeight(average);
      setAt(Math.max(0, from - (from % marginRows)));
    };
    follow();
    // Captured: the page scrolls, or a part of it does.
    document.addEventListener('scroll', follow, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', follow, { capture: true });
  }, [isOn]);
  const spacers = {
    '--rows-above': `${first * height}px`,
    '--rows-below': `${(rows.length - last) * height}px`,
  };
  return { box, rows: rows.slice(first, last), first, spacers };
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
  readonly urlState: TableUrlState;
}) {
  const { accessor, title, urlState } = props;
  const sorts = { none: undefined, ascending: accessor, descending: `-${accessor}` };
  const state =
    (['ascending', 'descending'] as const).find((one) => sorts[one] === urlState.sort) ?? 'none';
  const { icon: Icon, next } = directions[state];
  return (
    <UnstyledButton
      ref={(button) => button?.closest('th')?.setAttribute('aria-sort', state)}
      className={classes.sortButton ?? ''}
      data-sorted={state !== 'none' || undefined}
      onClick={() => urlState.change({ sort: sorts[next] })}
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
function expanderColumn<Row extends { readonly id: string }>(
  open: string | undefined,
): DataTableColumn<Row> {
  return {
    accessor: 'unfold',
    title: <VisuallyHidden>Details</VisuallyHidden>,
    width: 44,
    render: ({ id }) => {
      const isOpen = id === open;
      const Icon = isOpen ? ChevronDownIcon : ChevronRightIcon;
      return (
        <ActionIcon variant="subtle" color="gray" aria-label="Details" aria-expanded={isOpen}>
          <Icon aria-hidden />
        </ActionIcon>
      );
    },
  };
}

/** Where an arrow key has a meaning of its own. */
const hasArrowKeys =
  '[data-row], [role], [popover], [role=dialog] *, input, textarea, select, video';

/** Focuses the first row, unless the focus is where the arrow keys do something else. */
export function focusFirstRow(): void {
  if (document.activeElement?.closest(hasArrowKeys)) return;
  document.querySelector<HTMLElement>('[data-row][tabindex="0"]')?.focus();
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
