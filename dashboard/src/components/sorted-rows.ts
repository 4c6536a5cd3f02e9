/** Rows by the column that the address names: `created`, or downwards `-created`. */

export type SortValue = string | number | null;
type Sortable<Row> = { readonly accessor: string; sortBy?(row: Row): SortValue };

/** What has no value comes last, whichever way. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Sortable<Row>[],
  sort: string | undefined,
): readonly Row[] {
  const { accessor, isDown } = directionOf(sort);
  const sortBy = columns.find((column) => column.accessor === accessor)?.sortBy;
  if (sortBy === undefined) return rows;
  return rows.toSorted((one, other) => {
    const [first, second] = [sortBy(one), sortBy(other)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return (isDown ? -1 : 1) * compared(first, second);
  });
}

const words = new Intl.Collator('en', { numeric: true });

function compared(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return words.compare(String(one), String(other));
}

export function directionOf(sort: string | undefined) {
  const isDown = sort?.startsWith('-') ?? false;
  return { accessor: isDown ? sort?.slice(1) : sort, isDown };
}
