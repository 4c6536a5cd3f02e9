/** Loads a paginated list of the API, page by page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { get, pathKey, type Query } from './client.ts';

type Page<Item> = {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  readonly total?: number;
};

export type CursorList<Item> = ReturnType<typeof useCursorList<Item>>;

/** Of a page that is left open: a task that fails at once leaves the balance as it was. */
export const idleRefetchMs = 30_000;

/** The interval at which loaded pages are fetched again; never by default. */
export type RefetchMs<Item> = (items: readonly Item[]) => number;

export function useCursorList<Item>(options: {
  readonly path: string;
  readonly query?: Query;
  readonly pageSize?: number;
  readonly refetchMs?: RefetchMs<Item>;
}) {
  const { path, query = {}, pageSize = 50, refetchMs } = options;
  const key = [...pathKey(path), query, pageSize];
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) =>
      get<Page<Item>>(path, { ...query, limit: pageSize, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state: { data } }) =>
      refetchMs?.(data?.pages.flatMap(({ items }) => items) ?? []) ?? false,
  });
  return {
    /** Changes with the path, the filters and the page size. */
    listKey: JSON.stringify(key),
    items: list.data?.pages.flatMap(({ items }) => items) ?? [],
    /** True until the first page has arrived or failed. */
    isLoading: list.isPending,
    error: list.error,
    /** The number of pages that are loaded. */
    pages: list.data?.pages.length ?? 0,
    hasMore: list.hasNextPage,
    /** Of the whole list, where the service counts it. */
    total: list.data?.pages[0]?.total,
    isLoadingMore: list.isFetchingNextPage,
    loadMore: () => void list.fetchNextPage(),
    refetch: () => void list.refetch(),
  };
}

/**
 * Keeps a list, newest first, from moving while it is read: new rows are counted and shown on
 * request. Rows that are shown are still updated.
 */
export function useStableList<Row extends { readonly id: string }>(list: CursorList<Row>) {
  const [top, setTop] = useState<{ readonly listKey: string; readonly id: string } | null>(null);
  const { listKey, items } = list;
  const newest = items[0]?.id;
  // Other filters start a new list, and so does the removal of the first row.
  const topIndex = top?.listKey === listKey ? items.findIndex(({ id }) => id === top.id) : -1;
  const hasTop = topIndex >= 0;
  const showNew = () => newest !== undefined && setTop({ listKey, id: newest });
  useEffect(() => {
    if (!hasTop && newest !== undefined) setTop({ listKey, id: newest });
  }, [hasTop, newest, listKey]);
  /** `newCount` rows are newer than the first one shown. */
  const newCount = Math.max(topIndex, 0);
  return { items: items.slice(newCount), newCount, showNew };
}
