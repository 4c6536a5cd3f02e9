/** What is known, how long it counts as fresh, and by which names it is kept. */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

const staleTimeMs = 5_000;
const retriesMax = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: staleTimeMs,
      // What was declined is declined again; only what broke may have mended itself.
      retry: (count, error) =>
        count < retriesMax &&
        error instanceof ApiError &&
        (error.status === 0 || error.status >= 500),
    },
    mutations: { retry: false },
  },
});

/**
 * From the general to the particular, so that a change can say what it touches:
 * `queryClient.invalidateQueries({ queryKey: keys.account(id) })` is all of an account.
 */
export const keys = {
  session: ['session'] as const,
  sessions: ['sessions'] as const,
  models: ['models'] as const,
  /** Everything of an account. */
  account: (id: string) => ['account', id] as const,
  /** A part of it: `accountPart(id, 'tasks', filters)`. */
  accountPart: (id: string, part: string, ...rest: readonly unknown[]) =>
    ['account', id, part, ...rest] as const,
  task: (id: string) => ['task', id] as const,
  adminPart: (part: string, ...rest: readonly unknown[]) => ['admin', part, ...rest] as const,
};
