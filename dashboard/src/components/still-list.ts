/**
 * A list, newest first, that stays still while it is read: what is new is counted, and shown when
 * the reader wants it. Rows that are shown keep changing in place.
 */
import { useEffect, useState } from 'react';
import type { CursorList } from '../api/cursor-list.ts';

export type StillList<Row> = {
  readonly list: CursorList<Row>;
  /** How many are newer than what is shown. */
  readonly fresh: number;
  showFresh(): void;
};

export function useStillList<Row>(
  list: CursorList<Row>,
  rowId: (row: Row) => string,
): StillList<Row> {
  const [top, setTop] = useState<{ readonly question: string; readonly id: string } | null>(null);
  const { question, items } = list;
  const newest = items[0] === undefined ? undefined : rowId(items[0]);
  // A new question begins a new list; so does it when what was at the top is gone.
  const place = top?.question === question ? items.findIndex((row) => rowId(row) === top.id) : -1;
  const isKnown = place >= 0;
  useEffect(() => {
    if (!isKnown && newest !== undefined) setTop({ question, id: newest });
  }, [isKnown, newest, question]);
  const fresh = Math.max(place, 0);
  return {
    list: { ...list, items: items.slice(fresh) },
    fresh,
    showFresh: () => {
      if (newest !== undefined) setTop({ question, id: newest });
    },
  };
}
