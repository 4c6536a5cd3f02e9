/** Ends the session and clears all cached data. */
import type { UseNavigateResult } from '@tanstack/react-router';
import { del } from '../api/client.ts';
import { clearPersonalData } from '../api/query-client.ts';

export async function signOut(navigate: UseNavigateResult<string>): Promise<void> {
  await del('/session');
  await navigate({ to: '/sign-in' });
  clearPersonalData();
}
