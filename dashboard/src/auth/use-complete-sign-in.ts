/** Stores a new session and leaves the sign-in page. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { SessionResponse } from '@vidgen/contract/people.ts';
import { dashboardPath } from '../api/base-path.ts';
import { clearPersonalData, keys, queryClient } from '../api/query-client.ts';

/** `to` is the path and search, below the dashboard, of the page that required the session. */
export function useCompleteSignIn(): (session: SessionResponse, to?: string) => Promise<void> {
  const navigate = useNavigate();
  const router = useRouter();
  return async (session, to) => {
    // Data of a person who was signed in before must not be shown to the next one.
    clearPersonalData();
    queryClient.setQueryData(keys.session, session);
    if (to === undefined) await navigate({ to: '/', replace: true });
    else router.history.replace(`${dashboardPath}${to}`);
  };
}

/** Returns the token of a one-time link. It is in the fragment, which browsers never send. */
export const linkToken = (): string => location.hash.slice(1);
