/** The query cache of the dashboard, and the queries of its pages. */
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { get, type Query } from './client.ts';

const staleTimeMs = 5_000;
const retriesMax = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: staleTimeMs,
      // A 4xx response would be the same again; network and server errors may be temporary.
      retry: (count, error) =>
        count < retriesMax &&
        error instanceof ApiError &&
        (error.status === 0 || error.status >= 500),
    },
    mutations: { retry: false },
  },
});

/** The key of a query is the path it loads: that of an account covers everything of the account. */
export const pathKey = (path: string): string[] => path.split('/').slice(1);

/** A query of what the service returns for a path. */
export const resource = <Data>(path: string, query: Query = {}) =>
  queryOptions({
    queryKey: [...pathKey(path), query],
    queryFn: () => get<Data>(path, query),
  });

/** Loads everything again that is at these paths and below them. */
export async function invalidate(...paths: readonly string[]): Promise<void> {
  await Promise.all(
    paths.map((path) => queryClient.invalidateQueries({ queryKey: pathKey(path) })),
  );
}

/**
 * Removes everything of the person who was signed in. What the sign-in page shows stays: it may be
 * loading already.
 */
export function clearPersonalData(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== 'methods' });
  queryClient.getMutationCache().clear();
}
