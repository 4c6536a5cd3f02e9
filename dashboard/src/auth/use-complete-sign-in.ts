/** When somebody has just signed in: the session is known, and they go where they were going. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { SessionResponse } from '@vidgen/contract/people.ts';
import { dashboardPath } from '../api/base-path.ts';
import { keys, queryClient } from '../api/query-client.ts';

/** `to` is a path of the dashboard, with its search, as it was when they had to sign in. */
export function useCompleteSignIn(): (session: SessionResponse, to?: string) => Promise<void> {
  const navigate = useNavigate();
  const router = useRouter();
  return async (session, to) => {
    // Nothing that somebody else saw in this tab before.
    queryClient.clear();
    queryClient.setQueryData(keys.session, session);
    if (to === undefined) await navigate({ to: '/', replace: true });
    else router.history.replace(`${dashboardPath}${to}`);
  };
}

/** What stands after the # of a one-time link. It is never sent to a server with the address. */
export const linkToken = (): string => location.hash.slice(1);
