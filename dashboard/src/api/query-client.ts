/** The query cache of the dashboard, and the keys of its queries. */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

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

/**
 * Keys go from general to specific, so that `invalidate(keys.account(id))` covers everything of an
 * account.
 */
export const keys = {
  session: ['session'] as const,
  sessions: ['sessions'] as const,
  security: ['security'] as const,
  signInMethods: ['sign-in methods'] as const,
  models: ['models'] as const,
  notices: ['notices'] as const,
  account: (id: string) => ['account', id] as const,
  /** Example: `accountPart(id, 'tasks', filters)`. */
  accountPart: (id: string, part: string, ...rest: readonly unknown[]) =>
    ['account', id, part, ...rest] as const,
  task: (id: string) => ['task', id] as const,
  adminPart: (part: string, ...rest: readonly unknown[]) => ['admin', part, ...rest] as const,
};

/** Loads everything again that these keys cover. */
export async function invalidate(...queryKeys: readonly (readonly unknown[])[]): Promise<void> {
  await Promise.all(queryKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/**
 * Removes everything of the person who was signed in. What the sign-in page shows stays: it may be
 * loading already.
 */
export function clearPersonalData(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.signInMethods[0] });
  queryClient.getMutationCache().clear();
}
