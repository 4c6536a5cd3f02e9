/**
 * Keeps a list, newest first, from moving while it is read: new rows are counted and shown on
 * request. Rows that are shown are still updated.
 */
import { useEffect, useState } from 'react';
import type { CursorList } from '../api/cursor-list.ts';

type StableList<Row> = {
  readonly list: CursorList<Row>;
  /** The number of rows that are newer than the first one shown. */
  readonly newCount: number;
  showNew(): void;
};

export function useStableList<Row>(
  list: CursorList<Row>,
  rowId: (row: Row) => string,
): StableList<Row> {
  const [top, setTop] = useState<{ readonly listKey: string; readonly id: string } | null>(null);
  const { listKey, items } = list;
  const newest = items[0] === undefined ? undefined : rowId(items[0]);
  // Other filters start a new list, and so does the removal of the first row.
  const topIndex = top?.listKey === listKey ? items.findIndex((row) => rowId(row) === top.id) : -1;
  const hasTop = topIndex >= 0;
  useEffect(() => {
    if (!hasTop && newest !== undefined) setTop({ listKey, id: newest });
  }, [hasTop, newest, listKey]);
  const newCount = Math.max(topIndex, 0);
  return {
    list: { ...list, items: items.slice(newCount) },
    newCount,
    showNew: () => {
      if (newest !== undefined) setTop({ listKey, id: newest });
    },
  };
}
