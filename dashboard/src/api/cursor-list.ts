/** A list of the contract, page after page: what is there, and how to get more of it. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { get, type Query } from './client.ts';

type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null };

export type CursorList<Item> = {
  /** What was asked for: another one makes it another list. */
  readonly listKey: string;
  readonly items: readonly Item[];
  /** Nothing is known yet. */
  readonly isLoading: boolean;
  readonly error: Error | null;
  /** How many pages of it are there. */
  readonly pages: number;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  loadMore(): void;
  refetch(): void;
};

export function useCursorList<Item>(options: {
  readonly queryKey: readonly unknown[];
  readonly path: string;
  readonly query?: Query;
  readonly pageSize?: number;
  /** How often the pages that are shown are asked for again; never unless told. */
  readonly refetchMs?: number;
  readonly enabled?: boolean;
}): CursorList<Item> {
  const { queryKey, path, query = {}, pageSize = 50, refetchMs, enabled = true } = options;
  const key = [...queryKey, query, pageSize];
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) =>
      get<Page<Item>>(path, { ...query, limit: pageSize, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: refetchMs ?? false,
    enabled,
  });
  return {
    listKey: JSON.stringify(key),
    items: list.data?.pages.flatMap(({ items }) => items) ?? [],
    isLoading: list.isPending,
    error: list.error,
    pages: list.data?.pages.length ?? 0,
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    loadMore: () => void list.fetchNextPage(),
    refetch: () => void list.refetch(),
  };
}
