/** Ends the session and clears all cached data. */
import type { UseNavigateResult } from '@tanstack/react-router';
import { del } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';

export async function signOut(navigate: UseNavigateResult<string>): Promise<void> {
  await del('/session');
  await navigate({ to: '/sign-in' });
  queryClient.clear();
}
