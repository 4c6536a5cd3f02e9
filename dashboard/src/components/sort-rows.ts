/** Sorts rows by the column in the URL: `created`, or `-created` for descending order. */

export type SortValue = string | number | null;
type Sortable<Row> = { readonly accessor: string; sortBy?(row: Row): SortValue };

/** Rows without a value come last in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Sortable<Row>[],
  sort: string | undefined,
): readonly Row[] {
  const { accessor, isDescending } = parseSort(sort);
  const sortBy = columns.find((column) => column.accessor === accessor)?.sortBy;
  if (sortBy === undefined) return rows;
  return rows.toSorted((one, other) => {
    const first = sortBy(one);
    const second = sortBy(other);
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return (isDescending ? -1 : 1) * compareValues(first, second);
  });
}

const collator = new Intl.Collator('en', { numeric: true });

function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return collator.compare(String(one), String(other));
}

export function parseSort(sort: string | undefined) {
  const isDescending = sort?.startsWith('-') ?? false;
  return { accessor: isDescending ? sort?.slice(1) : sort, isDescending };
}
