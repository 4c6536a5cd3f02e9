/**
 * A list, newest first, that stays still while it is read: what is new is counted, and shown when
 * the reader wants it. Rows that are shown keep changing in place.
 */
import { useEffect, useState } from 'react';
import type { CursorList } from '../api/cursor-list.ts';

type StableList<Row> = {
  readonly list: CursorList<Row>;
  /** How many are newer than what is shown. */
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
  // A new question begins a new list; so does it when what was at the top is gone.
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
